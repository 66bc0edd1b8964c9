import type { Attributes } from '../request.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import type { AuditEvent } from './event.ts';

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

/** A back end that keeps what it gets, one list a call; `outcome` says what becomes of a call. */
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

/** What was reported lost: plugin, reason and ids. */
export function createLosses() {
  const losses: (readonly [plugin: string, reason: string, ids: readonly string[]])[] = [];
  const lost: ReportLost = (plugin, thrown, events) =>
    losses.push([plugin, (thrown as Error).message, events.map(({ auditID }) => auditID)]);
  return { losses, lost };
}
