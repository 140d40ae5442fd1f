# SPDX-License-Identifier: GPL-2.0-only
#
# Compiler options of everything built here (the standalone face only; inside an ns-3 tree its own options rule).

set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Simulations under -O0 are too slow to test with; -O1 keeps a debugger usable.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")
set(CMAKE_CXX_FLAGS_RELEASE "-O3")

add_compile_options(-Wall -Wextra)
if(RDMA_WERROR)
  add_compile_options(-Werror)
endif()
# In a shared library g++ otherwise keeps every function replaceable and inlines none of the exported ones.
add_compile_options(-fno-semantic-interposition)

add_compile_definitions($<$<CONFIG:Debug>:NS3_ASSERT_ENABLE>)

if(RDMA_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ sees uses of uninitialized variables in the instrumented <regex> that are none.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

find_program(RDMA_CCACHE ccache)
mark_as_advanced(RDMA_CCACHE)
if(RDMA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RDMA_CCACHE})
endif()
