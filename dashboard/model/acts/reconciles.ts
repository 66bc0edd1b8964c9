import type { ActSource } from './act.ts';

const PATH = '/journal/v1/reconcile';

/** Enqueues a key of the object in one of its controllers. */
export const reconciles: ActSource = ({ keys }) =>
  keys.map(({ controller, key }) => ({
    label: keys.length === 1 ? 'reconcile now' : `reconcile now in ${controller}`,
    effect: `Enqueues ${key} in the controller ${controller}. Its timeline names you.`,
    needs: [{ text: `post to ${PATH}`, anyOf: [{ verb: 'post', path: PATH }] }],
    done: `${key} is enqueued in ${controller}.`,
    request: () => ({ method: 'POST', path: `${PATH}?${new URLSearchParams({ controller, key })}` }),
  }));
