#include "threads.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <pthread.h>

#include <csignal>
#endif
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace numerics::cpu::threads {
namespace {

// A job that looks for helpers. It lives on the stack of its caller.
struct Posting {
  Job* job;
  int seats;                   // helpers it still takes
  std::atomic<int> inside{0};  // helpers at work on it; written under the pool's mutex
  // The caller's, for results have to show its rounding and its treatment of subnormal numbers.
  std::fenv_t environment;
};

struct Pool {
  std::mutex mutex;
  std::condition_variable job_arrives, somebody_leaves, fork_is_over;
  std::vector<Posting*> postings;
  std::vector<std::thread> threads;
  std::vector<long> kernel_names;  // of the threads, on Linux
  int running = 0;                 // threads that may still touch the pool
  int computing = 0;               // threads between begin() and end()
  bool is_forking = false, is_closed = false;
};

// Never destroyed, since threads may sleep in it when the process ends.
std::atomic<Pool*> the_pool{new Pool};
std::atomic<int> most_threads{1};
std::atomic<bool> called_off{false};
thread_local bool at_work = false;

// The caller looks out for its helpers as long as it would take to wake it up, no longer: other
// threads, those of OpenBLAS among them, want the processor.
void spin_while_inside(const Posting& posting) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
  while (posting.inside.load(std::memory_order_relaxed) > 0 &&
         std::chrono::steady_clock::now() < end) {
  }
}

Posting* find_seat(const Pool& pool) {
  for (Posting* posting : pool.postings) {
    if (posting->seats > 0) return posting;
  }
  return nullptr;
}

void help(Pool& pool) {
  at_work = true;
  std::unique_lock lock(pool.mutex);
#ifdef __linux__
  pool.kernel_names.push_back(syscall(SYS_gettid));
#endif
  while (true) {
    Posting* posting = nullptr;
    pool.job_arrives.wait(lock,
                          [&] { return called_off || (posting = find_seat(pool)) != nullptr; });
    if (called_off) break;
    --posting->seats;
    ++posting->inside;
    lock.unlock();
    std::fesetenv(&posting->environment);
    posting->job->work(true);
    lock.lock();
    if (--posting->inside == 0) pool.somebody_leaves.notify_all();
  }
  --pool.running;
  pool.somebody_leaves.notify_all();
}

// Threads that are born while this lives are not interrupted by signals: those are for threads that
// wait for something.
class BlockedSignals {
#ifndef _WIN32
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
#endif
};

// With as many threads as there can be, where the system gives less.
void start(Pool& pool, int wanted) {
  if (static_cast<int>(pool.threads.size()) >= wanted) return;
  [[maybe_unused]] BlockedSignals blocked;
  pool.threads.reserve(wanted);
  pool.kernel_names.reserve(wanted);
  try {
    while (static_cast<int>(pool.threads.size()) < wanted) {
      pool.threads.emplace_back(&help, std::ref(pool));
      ++pool.running;
    }
  } catch (const std::system_error&) {
  }
}

// Lets the threads finish what they have taken, and end.
void call_off(Pool& pool, std::unique_lock<std::mutex>& lock) {
  called_off = true;
  pool.job_arrives.notify_all();
  pool.somebody_leaves.wait(lock, [&] { return pool.running == 0; });
  for (std::thread& thread : pool.threads) thread.join();
#ifdef __linux__
  // A joined thread is still counted for a moment, and Python warns of threads that it counts.
  for (long name : pool.kernel_names) {
    while (syscall(SYS_tgkill, getpid(), name, 0) == 0) std::this_thread::yield();
  }
#endif
  pool.threads.clear();
  pool.kernel_names.clear();
}

#ifndef _WIN32
// The mutex stays locked until the fork is over.
void before_fork() {
  Pool& pool = *the_pool;
  std::unique_lock lock(pool.mutex);
  pool.is_forking = true;
  call_off(pool, lock);
  pool.somebody_leaves.wait_for(lock, std::chrono::seconds(1), [&] { return pool.computing == 0; });
  lock.release();
}

void after_fork_in_parent() {
  Pool& pool = *the_pool;
  pool.is_forking = false;
  called_off = pool.is_closed;
  pool.fork_is_over.notify_all();
  pool.mutex.unlock();
}

// Threads of the parent may have been waiting in the old pool; they do not exist here.
void after_fork_in_child() {
  the_pool = new Pool;
  called_off = false;
}
#endif

void prepare_for_forks() {
#ifndef _WIN32
  static const int registered =
      pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
  (void)registered;
#endif
}

}  // namespace

int count() { return most_threads.load(std::memory_order_relaxed); }

void set_count(int count) { most_threads = std::clamp(count, 1, kMost); }

bool is_at_work() { return at_work; }

bool are_called_off() { return called_off.load(std::memory_order_relaxed); }

void run(Job& job, int helpers) {
  Posting posting;
  posting.job = &job;
  posting.seats = helpers;
  std::fegetenv(&posting.environment);
  {
    Pool& pool = *the_pool;
    std::lock_guard lock(pool.mutex);
    if (!called_off) {
      start(pool, helpers);
      pool.postings.push_back(&posting);
    }
    if (helpers > 1) {
      pool.job_arrives.notify_all();
    } else {
      pool.job_arrives.notify_one();
    }
  }
  at_work = true;
  job.work(false);
  at_work = false;
  Pool& pool = *the_pool;  // another one, if the process has forked from within the job
  std::unique_lock lock(pool.mutex);
  pool.postings.erase(std::remove(pool.postings.begin(), pool.postings.end(), &posting),
                      pool.postings.end());
  if (posting.inside == 0) return;
  lock.unlock();
  spin_while_inside(posting);
  lock.lock();
  pool.somebody_leaves.wait(lock, [&] { return posting.inside == 0; });
}

void begin() {
  prepare_for_forks();
  Pool& pool = *the_pool;
  std::unique_lock lock(pool.mutex);
  pool.fork_is_over.wait(lock, [&] { return !pool.is_forking; });
  ++pool.computing;
}

void end() {
  Pool& pool = *the_pool;
  std::lock_guard lock(pool.mutex);
  if (--pool.computing == 0 && pool.is_forking) pool.somebody_leaves.notify_all();
}

void close() {
  Pool& pool = *the_pool;
  std::unique_lock lock(pool.mutex);
  pool.is_closed = called_off = true;
  pool.job_arrives.notify_all();
  // A thread that is deep in one matrix must not hold up the end of the process.
  const bool all_ended = pool.somebody_leaves.wait_for(lock, std::chrono::seconds(2),
                                                       [&] { return pool.running == 0; });
  for (std::thread& thread : pool.threads) {
    if (all_ended) {
      thread.join();
    } else {
      thread.detach();
    }
  }
  pool.threads.clear();
}

}  // namespace numerics::cpu::threads
