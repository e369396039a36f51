{
  # Linux only: macOS needs no native part (see install.mjs).
  "targets": [
    {
      "target_name": "ion",
      "sources": [
        "addon/addon.cc",
        "addon/landlock.cc",
        "addon/probe.cc",
        "addon/spawn.cc",
        "addon/audit.cc",
        "addon/audit_head.cc",
        "addon/audit_binding.cc",
        "addon/sha256.cc",
        "launcher/leftovers.c"
      ],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": ["NAPI_VERSION=8", "NODE_ADDON_API_CPP_EXCEPTIONS", "NODE_ADDON_API_DISABLE_DEPRECATED"],
      "cflags_cc": ["-std=c++17", "-Wall", "-Wextra", "-fexceptions", "-fvisibility=hidden"],
      "cflags_cc!": ["-fno-exceptions", "-fno-rtti"],
      # libstdc++ inside: a prebuild must not depend on the version that the distribution has.
      "ldflags": ["-static-libstdc++", "-static-libgcc", "-Wl,-z,relro,-z,now", "-s"]
    },
    {
      "target_name": "ion-launcher",
      "type": "executable",
      "sources": [
        "launcher/main.c",
        "launcher/options.c",
        "launcher/handover.c",
        "launcher/confine.c",
        "launcher/name_query.c",
        "launcher/namespaces.c",
        "launcher/mounts.c",
        "launcher/devices.c",
        "launcher/streams.c",
        "launcher/caller.c",
        "launcher/resolve.c",
        "launcher/notify.c",
        "launcher/lists.c",
        "launcher/write_rules.c",
        "launcher/writes.c",
        "launcher/denied.c",
        "launcher/path_glob.c",
        "launcher/own_files.c",
        "launcher/replace.c",
        "launcher/git_change.c",
        "launcher/nested.c",
        "launcher/executions.c",
        "launcher/programs.c",
        "launcher/images.c",
        "launcher/sockets.c",
        "launcher/taken.c",
        "launcher/loopback.c",
        "launcher/place.c",
        "launcher/listeners.c",
        "launcher/address.c",
        "launcher/errands.c",
        "launcher/own_sockets.c",
        "launcher/violations.c",
        "launcher/glob.c",
        "launcher/deny_rules.c",
        "launcher/filter.c",
        "launcher/refused_rows.c",
        "launcher/asked_rows.c",
        "launcher/targets.c",
        "launcher/supervise.c",
        "launcher/terminal.c",
        "launcher/limits.c",
        "launcher/usage.c",
        "launcher/disk.c",
        "launcher/cgroup.c",
        "launcher/leftovers.c",
        "launcher/report.c",
        "launcher/tree.c",
        "launcher/kill_tree.c"
      ],
      "cflags_c": ["-std=c11", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-fstack-protector-strong"],
      # Static: it starts on musl, and nothing is looked up by a dynamic loader before the boundary stands.
      "ldflags": ["-static", "-pthread", "-s"]
    }
  ]
}
