#include "sharing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "threads.h"

namespace numerics::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// In nanoseconds. Calling a helper takes its caller some 5 µs, and the helper starts some 10 µs later.
constexpr double kWorthSharing = 4e4, kShortestChunk = 1e4, kLongestChunk = 5e6;
constexpr std::chrono::milliseconds kBetweenLooks{50};

std::atomic<double> exaggeration{1};

// One call, and what its threads have in common.
class SharedStack final : public threads::Job {
 public:
  SharedStack(const Native& native, bool is_complex, Stack& stack, double duration, int threads,
              const GoesOn& goes_on)
      : run_(native.run[is_complex]), stack_(stack), threads_(threads), goes_on_(goes_on) {
    const double each = std::max(1.0, duration / static_cast<double>(stack.count));
    shortest_ = in_groups(static_cast<Index>(kShortestChunk / each));
    longest_ = in_groups(static_cast<Index>(kLongestChunk / each));
  }

  bool run() {
    if (threads_ > 1) {
      threads::run(*this, threads_ - 1);
    } else {
      work(false);
    }
    if (lacks_memory_) throw std::bad_alloc();
    std::sort(failures_.begin(), failures_.end(),
              [](const Failure& a, const Failure& b) { return a.matrix < b.matrix; });
    stack_.failures = std::move(failures_);
    stack_.floating_point = floating_point_;
    stack_.has_complex_values = has_complex_values_;
    return !is_interrupted_;
  }

  void work(bool is_helper) override {
    if (next_ >= stack_.count) return;
    try {
      Stack own(stack_);
      Supply supply(*this, is_helper);
      own.chunks = &supply;
      run_(own);
      add_report(own);
    } catch (const std::bad_alloc&) {
      lacks_memory_ = true;
    }
  }

 private:
  // Kernels that do several small matrices at once want full groups.
  static Index in_groups(Index matrices) {
    constexpr Index kGroup = 16;
    return matrices < kGroup ? std::max<Index>(1, matrices) : matrices / kGroup * kGroup;
  }

  // The chunks that one thread takes.
  class Supply final : public Chunks {
   public:
    Supply(SharedStack& shared, bool is_helper) : shared_(shared), is_helper_(is_helper) {}

    bool take(Range* range) override {
      if (is_helper_ && threads::are_called_off()) return false;
      if (!is_helper_) look_up();
      return shared_.take(range);
    }

   private:
    void look_up() {
      const bool looks = shared_.goes_on_ && Clock::now() >= look_;
      if (!looks && !threads::are_called_off()) return;
      threads::end();
      if (looks && !shared_.goes_on_()) shared_.is_interrupted_ = true;
      threads::begin();
      if (looks) look_ = Clock::now() + kBetweenLooks;
    }

    SharedStack& shared_;
    const bool is_helper_;
    Clock::time_point look_ = Clock::now() + kBetweenLooks;
  };

  // Less and less at a time, so that all threads end together though matrices differ in cost.
  bool take(Range* range) {
    Index first = next_.load(std::memory_order_relaxed), size;
    do {
      const Index left = stack_.count - first;
      if (left <= 0 || lacks_memory_ || is_interrupted_) return false;
      size = std::min(left, std::clamp(in_groups(left / (4 * threads_)), shortest_, longest_));
    } while (!next_.compare_exchange_weak(first, first + size, std::memory_order_relaxed));
    *range = {first, first + size};
    return true;
  }

  void add_report(const Stack& own) {
    std::lock_guard lock(mutex_);
    failures_.insert(failures_.end(), own.failures.begin(), own.failures.end());
    floating_point_ |= own.floating_point;
    has_complex_values_ |= own.has_complex_values;
  }

  void (*const run_)(Stack&);
  Stack& stack_;
  const int threads_;
  const GoesOn& goes_on_;
  Index shortest_, longest_;
  std::atomic<Index> next_{0};
  std::atomic<bool> is_interrupted_{false}, lacks_memory_{false};

  std::mutex mutex_;
  std::vector<Failure> failures_;
  unsigned floating_point_ = 0;
  bool has_complex_values_ = false;
};

struct Computing {
  Computing() { threads::begin(); }
  ~Computing() { threads::end(); }
};

int useful_threads(const Native& native, const Stack& stack, double duration) {
  if (stack.count < 2 || duration < kWorthSharing || threads::is_at_work()) return 1;
  if (entries_of_first(stack) > native.cost.most_entries) return 1;
  return static_cast<int>(std::min<Index>(threads::count(), stack.count));
}

}  // namespace

double duration(const Native& native, bool is_complex, const Stack& stack) {
  const Cost& cost = native.cost;
  const double arithmetic = cost.multiplication * cost.multiplications(stack);
  return static_cast<double>(stack.count) * (cost.matrix + (is_complex ? 4 : 1) * arithmetic) *
         exaggeration.load(std::memory_order_relaxed);
}

bool run_stack(const Native& native, bool is_complex, Stack& stack, double duration,
               const GoesOn& goes_on) {
  const Computing computing;
  const int threads = useful_threads(native, stack, duration);
  if (threads > 1 || (goes_on && stack.count > 1)) {
    return SharedStack(native, is_complex, stack, duration, threads, goes_on).run();
  }
  native.run[is_complex](stack);
  return true;
}

double exaggerate_durations(double factor) { return exaggeration.exchange(factor); }

}  // namespace numerics::cpu
