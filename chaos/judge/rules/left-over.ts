import type { Reading } from '../reading.ts';
import type { Finding, WireRule } from '../rule.ts';
import type { WireVersion } from '../wire-history.ts';

const ID = 'left-over';

/**
 * Rule: at the end, no object of the client outlives its owners, and no finalizer of the client holds a
 * deleted object.
 */
export const leftOver: WireRule = {
  id: ID,
  says: 'at the end no created object outlives its owners, and no finalizer of the client holds a deleted object',
  judge(reading) {
    const own = reading.final.filter(({ object }) => reading.created.has(object.metadata.uid ?? ''));
    const held = reading.final.filter(({ object }) => object.metadata.deletionTimestamp !== undefined);
    return {
      reached: own.length + held.length,
      findings: [
        ...own.flatMap((version) => orphan(version, reading) ?? []),
        ...held.flatMap((version) => stuck(version, reading) ?? []),
      ],
    };
  },
};

function orphan(version: WireVersion, { history }: Reading): Finding | undefined {
  const owners = version.object.metadata.ownerReferences ?? [];
  const removals = owners.flatMap(
    ({ uid }) => history.versions.find(({ object, deleted }) => deleted && object.metadata.uid === uid) ?? [],
  );
  if (owners.length === 0 || removals.length < owners.length) return undefined;
  const names = owners.map(({ kind, name }) => `${kind ?? ''} ${name ?? ''}`).join(', ');
  return findingAbout(version, `still exists, although its owner was deleted: ${names}`, removals);
}

function stuck(version: WireVersion, { effects, history }: Reading): Finding | undefined {
  const { uid, finalizers = [] } = version.object.metadata;
  const adding = effects.find(
    ({ after, before }) =>
      after?.object.metadata.uid === uid &&
      finalizers.some((each) => has(after, each) && (before === undefined || !has(before, each))),
  );
  if (adding === undefined) return undefined;
  const marked = history.versions.filter(
    ({ object }) => object.metadata.uid === uid && object.metadata.deletionTimestamp !== undefined,
  );
  return findingAbout(
    version,
    `is deleted but held by the finalizer ${finalizers.join(', ')}, which the client added`,
    [adding.request, ...marked.slice(0, 1)],
  );
}

const has = (version: WireVersion | undefined, finalizer: string): boolean =>
  version?.object.metadata.finalizers?.includes(finalizer) ?? false;

function findingAbout(
  version: WireVersion,
  what: string,
  evidence: readonly { readonly seq: number }[],
): Finding {
  const { namespace = '', name = '' } = version.object.metadata;
  const key = `${version.resource} ${namespace === '' ? '' : `${namespace}/`}${name}`;
  const { seq, atMs } = version;
  return {
    rule: ID,
    key,
    seq,
    atMs,
    text: `${key} ${what}`,
    evidence: [seq, ...evidence.map((each) => each.seq)],
  };
}
