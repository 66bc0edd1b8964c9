import type { Attributes } from '../request.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import type { AuditEvent } from './event.ts';

/** Creates an audit event with the given changes. */
export const eventOf = (auditID: string, changes: Partial<AuditEvent> = {}): AuditEvent => ({
  level: 'Metadata',
  auditID,
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/a/pods',
  verb: 'list',
  user: { username: 'alice', groups: ['system:authenticated'] },
  requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
  stageTimestamp: '2026-01-01T00:00:00.000000Z',
  ...changes,
});

/** Creates request attributes with the given changes. */
export const attributesOf = (changes: Partial<Attributes> = {}): Attributes => ({
  user: { username: 'alice', groups: ['dev', 'system:authenticated'] },
  verb: 'get',
  isResourceRequest: true,
  path: '/api/v1/namespaces/a/pods/p',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
  name: 'p',
  ...changes,
});

/** Creates a back end that records the events of each call as one list. `outcome` returns the result of a call. */
export function createRecorder(outcome: () => boolean | Promise<boolean> = () => true) {
  const batches: (readonly AuditEvent[])[] = [];
  const backend: AuditBackend & { stopped: boolean } = {
    name: 'recorder',
    stopped: false,
    process(events) {
      batches.push(events);
      return outcome();
    },
    start: () => Promise.resolve(),
    stop() {
      backend.stopped = true;
      return Promise.resolve();
    },
  };
  return {
    backend,
    batches,
    get ids() {
      return batches.map((batch) => batch.map(({ auditID }) => auditID));
    },
    get events() {
      return batches.flat();
    },
  };
}

/** Creates a loss report that records the plugin, reason and audit IDs of each report. */
export function createLosses() {
  const losses: (readonly [plugin: string, reason: string, ids: readonly string[]])[] = [];
  const lost: ReportLost = (plugin, thrown, events) =>
    losses.push([plugin, (thrown as Error).message, events.map(({ auditID }) => auditID)]);
  return { losses, lost };
}
