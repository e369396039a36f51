/** Made from profiles/toolchains/ by profiles/compile.mjs when a bundle is built. */
declare module 'ion:presets' {
  export const presets: readonly import('./preset.ts').Preset[];
}

/** The `[[install]]` rows of all presets: the part of them that every start needs. */
declare module 'ion:install-folders' {
  export const installFolders: readonly import('./preset.ts').InstallRow[];
}
