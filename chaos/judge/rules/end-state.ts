import { isRecord } from '../../../base/collections/index.ts';
import { canonical, contentOf } from '../difference.ts';
import { groupBy, keyOf, keyOfObject } from '../keys.ts';
import type { Reading } from '../reading.ts';
import type { Finding, WireRule } from '../rule.ts';
import type { WireObject, WireVersion } from '../wire-history.ts';

const ID = 'end-state';

/** Rule: the objects that the client writes end in the same state as without faults. */
export const endState: WireRule = {
  id: ID,
  says: 'the objects of the client end as in the run without faults',
  judge(reading, calm) {
    if (calm === undefined) return { reached: 0, findings: [] };
    const [here, there] = [writtenIn(reading), writtenIn(calm)];
    const calmFinal = finalByName(calm);
    const ownFinal = finalByName(reading);
    const findings: Finding[] = [];
    for (const [name, versions] of ownFinal)
      for (const [i, version] of versions.entries()) {
        const other = calmFinal.get(name)?.[i];
        if (other === undefined) {
          if (here.has(name)) findings.push(findingOf(version, 'exists at the end, but not without faults'));
        } else if (here.has(name) || there.has(name)) {
          const where = differentField(version.object, other.object);
          if (where !== undefined)
            findings.push(findingOf(version, `ends with another ${where} than without faults`));
        }
      }
    for (const [name, versions] of calmFinal)
      for (const missing of there.has(name) ? versions.slice(ownFinal.get(name)?.length ?? 0) : [])
        findings.push(lostOf(missing, reading));
    return { reached: here.size + there.size, findings };
  },
};

/** Returns the comparable names of the objects that the client wrote. */
const writtenIn = ({ effects }: Reading): ReadonlySet<string> =>
  new Set(
    effects.flatMap(({ request, after }) =>
      after === undefined ? [] : nameOf(request.resource, after.object),
    ),
  );

const finalByName = ({ final }: Reading): ReadonlyMap<string, readonly WireVersion[]> =>
  groupBy(final, ({ resource, object }) => nameOf(resource, object));

/** Returns a name that is the same in each run: the prefix replaces a generated name. */
const nameOf = (resource: string, { metadata }: WireObject): string =>
  keyOf(resource, metadata.namespace ?? '', metadata.generateName ?? metadata.name ?? '');

/** Fields that differ between two runs of any client. */
const VARYING = new Set(['uid', 'creationTimestamp', 'name', 'deletionTimestamp', 'clusterIP', 'clusterIPs']);
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Returns the value with placeholders for times, uids and revisions, which differ between runs. */
function steady(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(TIME, '<time>').replace(UID, '<uid>');
  if (Array.isArray(value)) return value.map(steady);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !VARYING.has(name) && !/(?:resourceVersion|generation)$/i.test(name))
      .map(([name, each]) => [name, steady(each)]),
  );
}

/** Returns the first top-level field in which two objects differ; undefined if they are equal. */
function differentField(a: WireObject, b: WireObject): string | undefined {
  const [here, there] = [steady(contentOf(a)), steady(contentOf(b))];
  if (!isRecord(here) || !isRecord(there)) return undefined;
  return [...new Set([...Object.keys(here), ...Object.keys(there)])].find(
    (name) => canonical(here[name]) !== canonical(there[name]),
  );
}

function findingOf(version: WireVersion, what: string): Finding {
  const key = keyOfObject(version.resource, version.object);
  return {
    rule: ID,
    key,
    seq: version.seq,
    atMs: version.atMs,
    text: `${key} ${what}`,
    evidence: [version.seq],
  };
}

/** Returns a finding about an object that only the run without faults has. */
function lostOf(missing: WireVersion, { versions, history }: Reading): Finding {
  const key = keyOfObject(missing.resource, missing.object);
  const last = versions.get(key)?.at(-1) ?? history.versions.at(-1);
  const { seq = 0, atMs = 0 } = last ?? {};
  return {
    rule: ID,
    key,
    seq,
    atMs,
    text: `${key} does not exist at the end, but does without faults`,
    evidence: [seq],
  };
}
