# Builds from nothing (presets ci, asan, tsan) compile several sources of a target as one: most of what a source costs is the
# headers it shares with its neighbours. Elsewhere off: an incremental build would compile the neighbours of what changed, too,
# and a source must name what it uses.
option(SLOWTOKEN_UNITY "Compile several sources of a target as one: for builds from nothing" OFF)

# slowtoken_unity(target): for targets whose sources share costly headers. The host half's are compiled as they ship.
function(slowtoken_unity target)
  if(SLOWTOKEN_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()
