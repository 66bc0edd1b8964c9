import { defineConfig } from 'vite';

/** The page of the dashboard. Everything it needs is in its files: it loads nothing from anywhere else. */
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
