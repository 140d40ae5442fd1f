# SPDX-License-Identifier: GPL-2.0-only
#
# Finds an installed ns-3 (3.37 or later) and mends what distribution packages of it get wrong.
#
# Sets ns3_VERSION, CMAKE_CXX_STANDARD (what that release's headers need), and for each module X the variable libX
# which ns-3's own CMake files use.

# Reads the package files before find_package does, because their own errors do not say what to do about them.
find_file(RDMA_NS3_TARGETS ns3Targets.cmake
          HINTS ${ns3_DIR} ${CMAKE_PREFIX_PATH} ENV CMAKE_PREFIX_PATH ENV ns3_DIR
          PATHS /usr/local /usr
          PATH_SUFFIXES lib/cmake/ns3 lib64/cmake/ns3 lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/ns3
          NO_DEFAULT_PATH)
mark_as_advanced(RDMA_NS3_TARGETS)
if(NOT RDMA_NS3_TARGETS)
  message(FATAL_ERROR "No installed ns-3 found. On Debian or Ubuntu: apt-get install libns3-dev ns3. For an ns-3 "
                      "installed elsewhere: -DCMAKE_PREFIX_PATH=<where it was installed>.")
endif()
get_filename_component(rdma_ns3_dir ${RDMA_NS3_TARGETS} DIRECTORY)
string(REGEX REPLACE "/lib[^/]*(/[^/]+)?/cmake/ns3$" "" rdma_ns3_prefix ${rdma_ns3_dir})

# Debian's libns3-dev names programs which are in the package ns3, and does not depend on it.
file(GLOB rdma_ns3_locations ${rdma_ns3_dir}/ns3Targets-*.cmake)
foreach(file ${rdma_ns3_locations})
  file(STRINGS ${file} lines REGEX "IMPORTED_LOCATION")
  foreach(line ${lines})
    string(REGEX REPLACE ".*\"\\\${_IMPORT_PREFIX}(/[^\"]+)\".*" "${rdma_ns3_prefix}\\1" location "${line}")
    if(NOT EXISTS "${location}")
      message(FATAL_ERROR "ns-3 is installed in part only: ${location} is missing. On Debian or Ubuntu: "
                          "apt-get install ns3")
    endif()
  endforeach()
endforeach()

# An ns-3 built with MPI names this target without looking for it.
file(STRINGS ${RDMA_NS3_TARGETS} rdma_ns3_mpi REGEX "MPI::MPI_CXX" LIMIT_COUNT 1)
if(rdma_ns3_mpi)
  enable_language(C)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()

find_package(ns3 REQUIRED CONFIG PATHS ${rdma_ns3_dir} NO_DEFAULT_PATH)

# "3-dev" has no number: take it as newer than every release.
if(ns3_VERSION MATCHES "^3\\.([0-9]+)")
  set(rdma_ns3_minor ${CMAKE_MATCH_1})
else()
  set(rdma_ns3_minor 99)
endif()
if(rdma_ns3_minor LESS 37)
  message(FATAL_ERROR "ns-3 ${ns3_VERSION} is too old: 3.37 or later is needed")
endif()
if(rdma_ns3_minor GREATER_EQUAL 46)
  set(CMAKE_CXX_STANDARD 23)
elseif(rdma_ns3_minor GREATER_EQUAL 41)
  set(CMAKE_CXX_STANDARD 20)
else()
  set(CMAKE_CXX_STANDARD 17)
endif()

# Drops entries of one property of an imported target: directories and libraries of development packages which ns-3's
# package does not depend on, and the system's own include directories, which must not move in the search order.
function(rdma_drop_missing target property)
  get_target_property(entries ${target} ${property})
  if(NOT entries)
    return()
  endif()
  set(kept)
  foreach(entry ${entries})
    if(entry MATCHES "^/" AND (NOT EXISTS "${entry}" OR entry MATCHES "^/usr(/include)?$"))
      continue()
    endif()
    list(APPEND kept "${entry}")
  endforeach()
  set_target_properties(${target} PROPERTIES ${property} "${kept}")
endfunction()

# The targets are ns3::libX up to 3.42, ns3::X later.
get_property(rdma_ns3_imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target ${rdma_ns3_imported})
  get_target_property(type ${target} TYPE)
  if(target MATCHES "^ns3::(lib)?(.+)$" AND NOT type STREQUAL "EXECUTABLE")
    set(lib${CMAKE_MATCH_2} ${target})
    rdma_drop_missing(${target} INTERFACE_INCLUDE_DIRECTORIES)
    rdma_drop_missing(${target} INTERFACE_LINK_LIBRARIES)
  endif()
endforeach()

# With logging on, ns-3's classes are larger: what is compiled against such a library must be told so, and the package
# does not. Such a library refers to LogComponent::IsEnabled, others do not.
get_target_property(rdma_ns3_configs ${libnetwork} IMPORTED_CONFIGURATIONS)
list(GET rdma_ns3_configs 0 rdma_ns3_config)
get_target_property(rdma_ns3_library ${libnetwork} IMPORTED_LOCATION_${rdma_ns3_config})
file(STRINGS ${rdma_ns3_library} rdma_ns3_logs REGEX "_ZNK3ns312LogComponent9IsEnabledE" LIMIT_COUNT 1)
if(rdma_ns3_logs)
  add_compile_definitions(NS3_LOG_ENABLE)
endif()
