# What an installed `slowtoken` needs at run time: libc alone, so that one build runs on other distributions. protobuf, abseil,
# zstd and the C++ run time are linked statically. Off in sanitizer builds, which bring a run time of their own.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(SLOWTOKEN_STATIC_DEFAULT OFF)
else()
  set(SLOWTOKEN_STATIC_DEFAULT ON)
endif()
option(SLOWTOKEN_STATIC "Link the command line statically but for libc" ${SLOWTOKEN_STATIC_DEFAULT})
if(NOT SLOWTOKEN_STATIC)
  return()
endif()

set(Protobuf_USE_STATIC_LIBS ON)
if(Protobuf_LIBRARY_RELEASE MATCHES "\\.so$")  # found by an earlier configuration
  unset(Protobuf_LIBRARY_RELEASE CACHE)
endif()
find_library(SLOWTOKEN_ZSTD_LIBRARY NAMES libzstd.a zstd REQUIRED)

# The distribution's abseil targets name the shared libraries; the archives lie beside them.
find_package(absl REQUIRED)
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS imported)
  if(NOT target MATCHES "^absl::")
    continue()
  endif()
  get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(configuration IN LISTS configurations)
    get_target_property(library ${target} IMPORTED_LOCATION_${configuration})
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${library}")
    if(EXISTS "${archive}")
      set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} ${archive} IMPORTED_GLOBAL TRUE)
    endif()
  endforeach()
endforeach()
