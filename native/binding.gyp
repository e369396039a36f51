{
  # Linux only: macOS needs no native part (see install.mjs).
  # Debian's node-gyp links everything with its own libnode: a static program cannot be, and the addon is for every Node.
  "target_defaults": { "libraries!": ["-lnode"] },
  "targets": [
    {
      "target_name": "ion",
      "sources": ["<!@(node sources.mjs addon)"],
      "include_dirs": ["launcher", "<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": ["NAPI_VERSION=8", "NODE_ADDON_API_CPP_EXCEPTIONS", "NODE_ADDON_API_DISABLE_DEPRECATED"],
      "cflags_cc": ["-std=c++17", "-Wall", "-Wextra", "-fexceptions", "-fvisibility=hidden"],
      "cflags_cc!": ["-fno-exceptions", "-fno-rtti"],
      # libstdc++ inside: a prebuild must not depend on the version that the distribution has.
      "ldflags": ["-static-libstdc++", "-static-libgcc", "-Wl,-z,relro,-z,now", "-s"]
    },
    {
      "target_name": "ion-launcher",
      "type": "executable",
      "sources": ["<!@(node sources.mjs launcher)"],
      "include_dirs": ["launcher"],
      "cflags_c": ["-std=c11", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-fstack-protector-strong"],
      # Static: it starts on musl, and nothing is looked up by a dynamic loader before the boundary stands.
      "ldflags": ["-static", "-pthread", "-s"]
    },
    {
      "target_name": "ion-starter",
      "type": "executable",
      "sources": ["<!@(node sources.mjs starter)"],
      "include_dirs": ["starter", "launcher"],
      "cflags_c": ["-std=c11", "-Wall", "-Wextra", "-fstack-protector-strong"],
      # Static: a dynamic loader would obey LD_PRELOAD, which the caller chose.
      "ldflags": ["-static", "-s"]
    }
  ]
}
