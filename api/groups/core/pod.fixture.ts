import { created, texts } from '../fixture.ts';
import { pods } from '../core-v1.ts';

/** Returns a pod with the given members in its spec and at its top level. */
export const pod = (spec: object = {}, rest: object = {}) => ({
  metadata: { name: 'p', namespace: 'd', resourceVersion: '1' },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec },
  ...rest,
});

/** Returns a pod whose container has the given fields. */
export const container = (fields: object) => pod({ containers: [{ name: 'c', image: 'nginx', ...fields }] });

/** Returns the errors of creating a pod. */
export const errorsOf = (body: object) => texts(created(pods, body).errors);
