export { type Lifetime, Lifetimes } from './lifetimes.ts';
export { type Live, type Reloaded, createReloaded } from './reloaded.ts';
