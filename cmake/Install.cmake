# SPDX-License-Identifier: Apache-2.0
# Where files go. A component has the name of a Debian package without its last digit (cmake/debian/control).

# Debian packages have libraries in a folder of the architecture. One build serves both layouts: programs look into this
# folder, too, and files below the folder of libraries have a rule for each layout.
set(AUTOTUNE_LIBDIR ${CMAKE_INSTALL_LIBDIR})
if(CMAKE_INSTALL_LIBDIR STREQUAL lib AND CMAKE_LIBRARY_ARCHITECTURE)
  set(AUTOTUNE_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()

# autotune_install_library(TARGET COMPONENT [COMPONENT_OF_LINK]): the latter has the link without a version
function(autotune_install_library target component)
  if(NOT AUTOTUNE_INSTALL)
    return()
  endif()
  install(TARGETS ${target} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set(debian DESTINATION ${AUTOTUNE_LIBDIR} COMPONENT ${component})
  list(APPEND ARGN ${component})
  list(GET ARGN 0 link)
  install(TARGETS ${target} LIBRARY ${debian} NAMELINK_COMPONENT ${link} EXCLUDE_FROM_ALL
    RUNTIME ${debian} EXCLUDE_FROM_ALL)
endfunction()

# Sets RESULT to 1 if the loader finds each FILE… in one of its own folders.
function(autotune_in_system result)
  set(${result} 1 PARENT_SCOPE)
  foreach(file IN LISTS ARGN)
    file(REAL_PATH "${file}" file)
    get_filename_component(folder "${file}" DIRECTORY)
    if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      set(${result} 0 PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
