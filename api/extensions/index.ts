export { customKinds } from './custom-kind.ts';
export { compareVersions } from './version-order.ts';
