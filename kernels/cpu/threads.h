// The process's one pool of threads. None is started before the first job that asks for help; all
// of them end before a fork and at the end of the process.
#pragma once

namespace numerics::cpu::threads {

// Work that several threads do together, each until nothing is left to take.
class Job {
 public:
  // Called once on every thread that takes part, the caller's own or a helper; lets no exception
  // out. A helper leaves soon when `are_called_off`.
  virtual void work(bool is_helper) = 0;

 protected:
  ~Job() = default;
};

constexpr int kMost = 1024;

// Threads that a call may use, the caller's own among them.
int count();
void set_count(int count);

// Does this thread already work on a job? Then what it calls must do without helpers.
bool is_at_work();

// Runs the job here and on up to `helpers` other threads, as far as there are idle ones, and
// returns when all of them have left it. Several threads may call at once: they share the pool.
void run(Job& job, int helpers);

// True while helpers have to leave their jobs, and what remains to the callers.
bool are_called_off();

// Between these two, a thread computes while others may do what they like, so fork. A fork waits for
// it, though not long: the libraries that kernels call have locks, and one that is held would be
// held in the child for ever. `begin` waits while a fork is under way. Who works for long leaves for
// a moment when `are_called_off`.
void begin();
void end();

// Ends the threads for good.
void close();

}  // namespace numerics::cpu::threads
