#include "tests/bench/allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace dray::bench {
namespace {

thread_local std::uint64_t count = 0;

void* allocate_or_null(std::size_t size) {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size) {
  if (void* memory = allocate_or_null(size)) return memory;
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
// Those of the sanitizers' runtime would not go with the `delete` below.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return dray::bench::allocate_or_null(size);
}
void* operator new[](std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return dray::bench::allocate_or_null(size);
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
