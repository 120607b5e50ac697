# Finds Python and NumPy's C headers, and gives the target `numpy_headers` to link with.
#
# pip builds in an isolated environment with a new temporary path each time. An include path into it would change every
# compile command, and the second `pip install` would compile everything again. So the headers are copied into the
# build folder, file by file and only where the content differs: path and time stamps stay, and a NumPy with other
# headers still recompiles what includes them.
#
# One thing more is needed: targets with object files are added in a subdirectory, never at the top. scikit-build-core
# deletes the top-level cache and CMakeFiles, objects and all, whenever its own path is new; those of subdirectories stay.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

# scikit-build-core sets Python_NumPy_INCLUDE_DIR; plain CMake asks the interpreter.
if(NOT Python_NumPy_INCLUDE_DIR)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "import numpy; print(numpy.get_include(), end='')"
    OUTPUT_VARIABLE Python_NumPy_INCLUDE_DIR
    COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT EXISTS "${Python_NumPy_INCLUDE_DIR}/numpy/ndarrayobject.h")
  message(FATAL_ERROR "NumPy's headers are not in ${Python_NumPy_INCLUDE_DIR}")
endif()

set(numpy_headers_dir "${CMAKE_BINARY_DIR}/numpy_headers")
file(GLOB_RECURSE found RELATIVE "${Python_NumPy_INCLUDE_DIR}" "${Python_NumPy_INCLUDE_DIR}/numpy/*.h")
foreach(header IN LISTS found)
  get_filename_component(folder "${numpy_headers_dir}/${header}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  file(COPY_FILE "${Python_NumPy_INCLUDE_DIR}/${header}" "${numpy_headers_dir}/${header}" ONLY_IF_DIFFERENT)
endforeach()

file(GLOB_RECURSE kept RELATIVE "${numpy_headers_dir}" "${numpy_headers_dir}/numpy/*.h")
list(REMOVE_ITEM kept ${found})
foreach(header IN LISTS kept)  # of another NumPy, which this one no longer has
  file(REMOVE "${numpy_headers_dir}/${header}")
endforeach()

add_library(numpy_headers INTERFACE)
target_include_directories(numpy_headers SYSTEM INTERFACE "${numpy_headers_dir}")
