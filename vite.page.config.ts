import { defineConfig } from 'vite';

/** Builds the page of the dashboard. The page loads only its own files. */
export default defineConfig({
  root: 'dashboard/page',
  base: './',
  logLevel: 'warn',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    outDir: '../../dist/dashboard/page',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
