export { forwarded } from './forward.ts';
export { endToEnd } from './proxy-headers.ts';
export type { Remote } from './remote-review.ts';
