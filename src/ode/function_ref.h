// A non-owning reference to something callable: two pointers, no allocation, may be empty.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace ananke::ode {

template <class Signature>
class FunctionRef;

/// Binds to named objects only: a temporary would be gone before the first call.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
  public:
    FunctionRef() = default;

    template <class F>
    requires(std::is_object_v<F> && !std::same_as<std::remove_cv_t<F>, FunctionRef> &&
             std::is_invocable_r_v<R, F&, Args...>) FunctionRef(F& callable)
        : object_(const_cast<void*>(static_cast<const volatile void*>(std::addressof(callable)))),
          call_([](void* object, Args... args) -> R {
              return (*static_cast<F*>(object))(std::forward<Args>(args)...);
          }) {}

    explicit operator bool() const { return call_ != nullptr; }

    R operator()(Args... args) const {
        ANANKE_DEBUG_CHECK(call_ != nullptr);
        return call_(object_, std::forward<Args>(args)...);
    }

  private:
    void* object_ = nullptr;
    R (*call_)(void*, Args...) = nullptr;
};

}  // namespace ananke::ode
