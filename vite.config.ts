import { defineConfig } from 'vite';

/**
 * The programs in a few files instead of five hundred, which halves the time a start spends on loading. `tsc` has
 * compiled everything before; this replaces the entry by one that loads its parts from `dist/cli/parts`.
 */
export default defineConfig({
  publicDir: false,
  logLevel: 'warn',
  // Bundled, so that pictures can be made where only what the programs need was installed.
  ssr: { noExternal: ['elkjs'] },
  build: {
    ssr: 'cli/orch.ts',
    outDir: 'dist/cli',
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'orch.js', chunkFileNames: 'parts/[name].js' } },
  },
});
