# SPDX-License-Identifier: GPL-2.0-only
#
# Outside of an ns-3 tree: the two functions which contrib/rdma/CMakeLists.txt calls, with ns-3's own arguments.

set(NS3_VER ${ns3_VERSION})
set(librdma rdma)

# Builds the module as a shared library, its headers in <build>/include/ns3, and its test suites and examples.
function(build_lib)
  cmake_parse_arguments(LIB "" "LIBNAME" "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK;TEST_SOURCES" ${ARGN})

  # ns-3 flattens the headers of all modules into one folder; so do we, by links.
  set(include_dir ${PROJECT_BINARY_DIR}/include)
  file(MAKE_DIRECTORY ${include_dir}/ns3)
  set(module_header "// All headers of the module.\n#pragma once\n")
  foreach(header ${LIB_HEADER_FILES})
    get_filename_component(name ${header} NAME)
    get_filename_component(path ${header} ABSOLUTE)
    file(CREATE_LINK ${path} ${include_dir}/ns3/${name} SYMBOLIC)
    string(APPEND module_header "#include \"ns3/${name}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${include_dir}/ns3/${LIB_LIBNAME}-module.h CONTENT "${module_header}" @ONLY)

  add_library(${LIB_LIBNAME} SHARED ${LIB_SOURCE_FILES})
  set_target_properties(${LIB_LIBNAME} PROPERTIES OUTPUT_NAME ns3-${LIB_LIBNAME})
  target_include_directories(${LIB_LIBNAME} PUBLIC ${include_dir})
  target_link_libraries(${LIB_LIBNAME} PUBLIC ${LIB_LIBRARIES_TO_LINK} Boost::headers)
  # TypeIds register when the library is loaded: keep it even where no symbol of it is used.
  target_link_options(${LIB_LIBNAME} INTERFACE -Wl,--no-as-needed)

  if(RDMA_TESTS AND LIB_TEST_SOURCES)
    add_executable(${LIB_LIBNAME}-test-runner ${LIB_TEST_SOURCES} ${PROJECT_SOURCE_DIR}/test/ns3-test-runner.cc)
    target_link_libraries(${LIB_LIBNAME}-test-runner PRIVATE ${LIB_LIBNAME})
    target_compile_definitions(${LIB_LIBNAME}-test-runner PRIVATE NS_TEST_SOURCEDIR="contrib/rdma/test")
    foreach(source ${LIB_TEST_SOURCES})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
      file(READ ${source} text)
      string(REGEX MATCHALL "\"${LIB_LIBNAME}-[a-z0-9-]+\",[ \n]*(TestSuite::)?(Type::)?(UNIT|SYSTEM|EXAMPLE)" suites
                            "${text}")
      foreach(suite ${suites})
        string(REGEX REPLACE "^\"([^\"]+)\".*" "\\1" suite "${suite}")
        add_test(NAME suite.${suite} COMMAND ${LIB_LIBNAME}-test-runner --suite=${suite} --verbose)
        set_tests_properties(suite.${suite} PROPERTIES LABELS suite TIMEOUT 600)
      endforeach()
    endforeach()
  endif()

  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/CMakeLists.txt)
    add_subdirectory(examples)
  endif()
endfunction()

# Builds one example. An example exits 1 when the numbers in its header do not come out, so it is a test, too.
function(build_lib_example)
  cmake_parse_arguments(EXAMPLE "" "NAME" "SOURCE_FILES;LIBRARIES_TO_LINK" ${ARGN})
  add_executable(${EXAMPLE_NAME} ${EXAMPLE_SOURCE_FILES})
  target_link_libraries(${EXAMPLE_NAME} PRIVATE ${EXAMPLE_LIBRARIES_TO_LINK})
  if(RDMA_TESTS)
    # Each in a folder of its own: examples may write files.
    set(work ${CMAKE_CURRENT_BINARY_DIR}/run-${EXAMPLE_NAME})
    file(MAKE_DIRECTORY ${work})
    add_test(NAME example.${EXAMPLE_NAME} COMMAND ${EXAMPLE_NAME} WORKING_DIRECTORY ${work})
    set_tests_properties(example.${EXAMPLE_NAME} PROPERTIES LABELS example TIMEOUT 600)
  endif()
endfunction()
