import { defineConfig } from 'vite';

/**
 * The programs, with most of what they need, in a few files instead of eight hundred: a start spends a third of the time
 * on loading. `tsc` has compiled everything before; this replaces the entry by one that loads its parts from
 * `dist/cli/parts`.
 */
export default defineConfig({
  publicDir: false,
  logLevel: 'warn',
  ssr: {
    noExternal: true,
    // Native, with workers and scripts of their own, or (undici) asking for modules that not every Node.js has; XState
    // because machines of others that are loaded share it.
    external: ['lmdb', 'pino', 'pino-pretty', 'bullmq', 'ioredis', 'undici', 'xstate'],
  },
  build: {
    ssr: 'cli/orch.ts',
    outDir: 'dist/cli',
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rollupOptions: { output: { entryFileNames: 'orch.js', chunkFileNames: 'parts/[name].js' } },
  },
});
