#include "tests/bench/allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace dray::bench {
namespace {

thread_local std::uint64_t count = 0;

void* allocate(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

std::uint64_t allocations() {
  return count;
}

}  // namespace dray::bench

void* operator new(std::size_t size) {
  return dray::bench::allocate(size);
}
void* operator new[](std::size_t size) {
  return dray::bench::allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
