/* SPDX-License-Identifier: Apache-2.0 */
/* memory_resource.h: the memory of Thrust's device system. */
#ifndef AUTOTUNE_EMULATE_THRUST_MEMORY_RESOURCE_H
#define AUTOTUNE_EMULATE_THRUST_MEMORY_RESOURCE_H

#pragma GCC system_header

#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/new.h>
#include <thrust/system/cpp/pointer.h>

#include <new>

#include "../../../autotune_emulate/thrust.h"

THRUST_NAMESPACE_BEGIN
namespace system::cpp {
namespace detail {
/* Its alignment is cudaMalloc's, 256 bytes. */
struct emulated_resource final : thrust::mr::memory_resource<> {
  void *do_allocate(std::size_t bytes, std::size_t) override {
    void *p = autotune_emulate::thrust_allocate(bytes);
#ifdef __cpp_exceptions
    if (!p)
      throw std::bad_alloc();
#endif
    return p;
  }
  void do_deallocate(void *p, std::size_t, std::size_t) override {
    autotune_emulate::thrust_free(p);
  }
};
using native_resource =
    thrust::mr::fancy_pointer_resource<emulated_resource, thrust::cpp::pointer<void>>;
using universal_native_resource =
    thrust::mr::fancy_pointer_resource<emulated_resource,
                                       thrust::cpp::universal_pointer<void>>;
} // namespace detail
using memory_resource = detail::native_resource;
using universal_memory_resource = detail::universal_native_resource;
using universal_host_pinned_memory_resource = universal_memory_resource;
} // namespace system::cpp
THRUST_NAMESPACE_END

#endif
