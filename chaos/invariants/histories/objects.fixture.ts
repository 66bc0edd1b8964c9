import type { ApiObject } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import type { Change, Step } from '../history.fixture.ts';

/**
 * Id of an invariant, a violating history, a correct history, and the time of the quiescent world in
 * milliseconds (default 0).
 */
export type History = [id: string, breaks: readonly Step[], keeps: readonly Step[], restMs?: number];

const { namespaces: places, secretTypes, signers } = orchVocabulary;

export const HOUR = 3_600_000;
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** Returns an object with a name. Its namespace is `team` unless `metadata` names another. */
export const named = (name: string, rest: object = {}, metadata: object = {}): ApiObject => ({
  ...rest,
  metadata: { name, namespace: 'team', uid: name, resourceVersion: '1', ...metadata },
});
export const cluster = { namespace: '' };
export const token = (name: string, expiresMs: number): ApiObject =>
  named(
    name,
    { type: secretTypes.bootstrapToken, data: { expiration: base64(toTime(expiresMs)) } },
    { namespace: places.system },
  );
export const condition = (type: string, ms = 0) => ({ type, status: 'True', lastUpdateTime: toTime(ms) });
export const request = (status: object = {}, spec: object = { signerName: signers.nodeClient }): ApiObject =>
  named('csr', { spec, status }, { ...cluster, creationTimestamp: toTime(0) });
export const owned = (name: string, owner: string, rest: object = {}): ApiObject =>
  named(name, rest, {
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'CronJob',
        name: owner,
        uid: owner,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
export const cronJob = (spec: object, status: object = {}, metadata: object = {}): ApiObject =>
  named('report', { kind: 'CronJob', spec: { schedule: '0 * * * *', ...spec }, status }, metadata);
export const namespace = (
  metadata: object = {},
  phase = 'Active',
  finalizers = [orchVocabulary.namespaceFinalizer],
) => named('team', { spec: { finalizers }, status: { phase } }, { ...cluster, ...metadata });
export const ending = { deletionTimestamp: toTime(0) };
/** Returns an object that is being deleted and still has a finalizer. */
export const whileEnding = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, ...ending },
});
export const makes = (actor: string, kind: Change['kind'], after: ApiObject, atMs = 0): Change => ({
  actor,
  kind,
  after,
  atMs,
});
export const drops = (actor: string, kind: Change['kind'], before: ApiObject, atMs = 0): Change => ({
  actor,
  kind,
  before,
  atMs,
});
export const turns = (
  actor: string,
  kind: Change['kind'],
  before: ApiObject,
  after: ApiObject,
  more: Partial<Change> = {},
): Change => ({ actor, kind, before, after, ...more });
