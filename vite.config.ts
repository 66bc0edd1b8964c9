import { type Plugin, defineConfig } from 'vite';

/**
 * Commands that run modules of others: these import `orch/…`, which is `dist/api`, `dist/runtime` and so on, and so does
 * the command. Out of the bundle it would run with classes and caches that the module does not share.
 */
const APART = /^\.\/chaos\/(run|live|explore)\.ts$/;

const loadApart: Plugin = {
  name: 'load-apart',
  enforce: 'pre',
  resolveId: (id, importer) =>
    APART.test(id) && importer?.endsWith('/cli/orch.ts') === true
      ? { id: id.replace(/\.ts$/, '.js'), external: true }
      : null,
};

/**
 * The programs, with most of what they need, in a few files instead of eight hundred: a start spends a third of the time
 * on loading. `tsc` has compiled everything before; this replaces the entry by one that loads its parts from
 * `dist/cli/parts`.
 */
export default defineConfig({
  plugins: [loadApart],
  publicDir: false,
  logLevel: 'warn',
  ssr: {
    noExternal: true,
    // Not bundled: lmdb is native, the next four load workers or scripts by path, and undici imports modules that some
    // versions of Node.js lack. Machines of other authors must share one copy of XState. The compiler is a
    // development dependency, loaded by one command only.
    external: ['typescript', 'lmdb', 'pino', 'pino-pretty', 'bullmq', 'ioredis', 'undici', 'xstate'],
  },
  // One character above U+00FF in a file makes V8 hold all of it in two bytes each, in every thread that loads it.
  esbuild: { charset: 'ascii' },
  build: {
    ssr: true,
    outDir: 'dist/cli',
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    rollupOptions: {
      input: {
        orch: 'cli/orch.ts',
        orchctl: 'cli/orchctl.ts',
        'controllers-thread-main': 'cli/up/controllers-thread-main.ts',
      },
      output: {
        // The entry of a thread is a sibling of its starter, as in the sources.
        entryFileNames: ({ name }) => (name.startsWith('orch') ? '[name].js' : 'parts/[name].js'),
        chunkFileNames: 'parts/[name].js',
      },
    },
  },
});
