/** Made from profiles/toolchains/ by profiles/compile.mjs when a bundle is built. */
declare module 'ion:presets' {
  export const presets: readonly import('./preset.ts').Preset[];
}
