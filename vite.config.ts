import { type Plugin, defineConfig } from 'vite';

/**
 * Commands that run modules of users. Such a module imports `orch/…`, which is `dist/api`, `dist/runtime` and
 * so on, and so must the command. In the bundle, the command would have other classes and caches than the
 * module.
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
 * Bundles the programs into a few files instead of eight hundred, because loading takes a third of the start
 * time. `tsc` has compiled everything before; the bundle replaces each program by an entry that loads its
 * parts from `dist/cli/parts`.
 */
export default defineConfig({
  plugins: [loadApart],
  publicDir: false,
  logLevel: 'warn',
  ssr: {
    noExternal: true,
    // Modules that are not bundled: lmdb is native, the next four load workers or scripts by path, and undici
    // imports modules that some versions of Node.js lack. Machines of users must share one copy of XState.
    // The compiler is a development dependency that only one command loads.
    external: ['typescript', 'lmdb', 'pino', 'pino-pretty', 'bullmq', 'ioredis', 'undici', 'xstate'],
  },
  // One character above U+00FF in a file makes V8 store the whole file with two bytes per character, in every
  // thread that loads it.
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
        // The entry of a thread is in the same directory as its starter, as in the sources.
        entryFileNames: ({ name }) => (name.startsWith('orch') ? '[name].js' : 'parts/[name].js'),
        chunkFileNames: 'parts/[name].js',
      },
    },
  },
});
