import type { HttpResponse } from '../../base/http/index.ts';
import { documentAt } from '../model/documents.ts';
import type { View } from '../model/view.ts';
import { json, refusal } from './responses.ts';

/** Enqueues a key of a controller. The journal records the user who requested it. */
export type EnqueueRequested = (controller: string, key: string, requester: string) => void;

/** Path below `/journal/v1` to which a POST enqueues a key. */
export const RECONCILE = 'reconcile';

/**
 * Enqueues the key in the query parameters `controller` and `key`. The API server must have authorized the
 * user. The controller must have reconciled the key before, because a mistyped key could fail and be retried
 * forever. A process that does not lead the controller names the leader.
 */
export function reconcileNow(options: {
  readonly view: View;
  readonly query: URLSearchParams;
  readonly requester: string | undefined;
  readonly enqueue: EnqueueRequested;
}): HttpResponse {
  const { view, query, requester, enqueue } = options;
  if (requester === undefined)
    return refusal(403, 'a reconcile needs an authenticated user: send the request to the API server');
  const [controller, key] = [query.get('controller') ?? '', query.get('key') ?? ''];
  if (controller === '' || key === '')
    return refusal(400, 'no key to reconcile: expected the query parameters controller and key');
  const facts = view.facts?.controllers.find(({ name }) => name === controller);
  if (facts === undefined) return refusal(404, `no controller ${JSON.stringify(controller)} in this process`);
  if (facts.leader?.own === false)
    return refusal(
      409,
      `this process is a standby for ${JSON.stringify(controller)}: send the request to its leader, ${JSON.stringify(facts.leader.holder)}`,
    );
  const found = documentAt(view, 'key', query);
  if (found?.kind !== 'Key' || found.state === undefined)
    return refusal(
      404,
      `no reconcile of ${JSON.stringify(key)} in the journal: expected a key of ${JSON.stringify(controller)}`,
    );
  enqueue(controller, key, requester);
  return json({ kind: 'Reconcile', controller, key, requester }, 202);
}
