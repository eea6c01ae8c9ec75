// Whether the address sanitizer is part of the build: gcc tells by a macro, clang by a feature.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define ANANKE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ANANKE_ADDRESS_SANITIZER 1
#endif
#endif

#if !defined(ANANKE_ADDRESS_SANITIZER)
#define ANANKE_ADDRESS_SANITIZER 0
#endif
