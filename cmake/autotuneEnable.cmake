# SPDX-License-Identifier: Apache-2.0
# autotune_enable(TARGET…): the kernels of these targets are tuned. Files without `#pragma autotune` are
# compiled by the same compiler, or ccache, to the same objects. autotune.h is found.

# Puts `autotune cc` before the words of PROPERTY of TARGET, once.
function(autotune_in_front target property)
  get_target_property(launcher ${target} ${property})
  if(NOT launcher)
    set(launcher)
  endif()
  list(FIND launcher "${AUTOTUNE_PROGRAM}" at)
  if(at EQUAL -1)
    set_property(TARGET ${target} PROPERTY ${property} ${AUTOTUNE_PROGRAM} cc ${launcher})
  endif()
endfunction()

function(autotune_enable)
  if(NOT ARGN)
    message(FATAL_ERROR "autotune_enable: of which targets?")
  endif()
  if(NOT AUTOTUNE_PROGRAM)
    message(FATAL_ERROR "autotune_enable: only libautotune is built here (AUTOTUNE_RUNTIME_ONLY), not the program "
      "autotune. Install what is missing, or set AUTOTUNE_PROGRAM to the path of an installed program. After "
      "find_package(autotune), call this in the folder that called it or below")
  endif()
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "autotune_enable: there is no target '${target}'")
    endif()
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased)
      set(target ${aliased})
    endif()
    get_target_property(type ${target} TYPE)
    get_target_property(imported ${target} IMPORTED)
    if(imported OR NOT type MATCHES "EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY")
      message(FATAL_ERROR "autotune_enable: nothing is compiled for '${target}'")
    endif()
    if(AUTOTUNE_TARGETS) # autotune is built in the same build
      add_dependencies(${target} ${AUTOTUNE_TARGETS})
    endif()
    foreach(language C CXX CUDA)
      autotune_in_front(${target} ${language}_COMPILER_LAUNCHER)
    endforeach()
    # `autotune cc` chooses the one OpenMP runtime when it links a program with kernels.
    foreach(language C CXX)
      autotune_in_front(${target} ${language}_LINKER_LAUNCHER)
    endforeach()
    # As target_link_libraries does; it must be called in the form, with or without PRIVATE, that the project uses for
    # this target.
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES autotune::autotune)
    if(type MATCHES "STATIC|OBJECT")
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES
        "$<LINK_ONLY:autotune::autotune>")
    endif()
  endforeach()
endfunction()
