import { configMaps, namespaces } from '../../../api/groups/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import {
  type Invariant,
  invariant,
  liveObject,
  liveObjects,
  objectOf,
  verdict,
} from '../../invariants/invariant.ts';
import { createsOnlyInLiveNamespaces } from '../../invariants/creation-namespaces.ts';

const CONTROLLER = 'root-ca-cert-publisher';
const FILE = 'ca.crt';

/** Returns the invariants about the published root certificate. */
export const rootCaCertPublisherInvariants = ({ rootCaConfigMap }: Vocabulary): readonly Invariant[] => [
  createsOnlyInLiveNamespaces(
    CONTROLLER,
    'no-create-in-ending-namespace',
    'creates nothing in a missing or terminating namespace',
  ),
  invariant({
    id: `${CONTROLLER}/only-own-configmap`,
    says: 'writes only its ConfigMap in each namespace, with only the certificate',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      if (commit.actor !== CONTROLLER) return verdict(state, false);
      const files = Object.keys(objectOf(commit, configMaps, 'after')?.data ?? {});
      const isOwn = commit.name === rootCaConfigMap && files.length === 1 && files[0] === FILE;
      return verdict(state, true, isOwn ? undefined : `${commit.verb} of ${commit.resource} ${commit.name}`);
    },
  }),
  invariant<{ readonly published: readonly string[] }>({
    id: `${CONTROLLER}/same-certificate-everywhere`,
    says: 'every active namespace has the same certificate',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => ({ published: [] }),
    onCommit(state, commit) {
      const written = commit.actor === CONTROLLER && objectOf(commit, configMaps, 'after')?.data?.[FILE];
      return verdict(written ? { published: [written] } : state, false);
    },
    atRest(state, live) {
      const active = liveObjects(live, namespaces).filter(
        ({ metadata, status }) => !metadata?.deletionTimestamp && status?.phase !== 'Terminating',
      );
      const certificates = active.map(({ metadata }) => ({
        namespace: metadata?.name ?? '',
        data: liveObject(live, configMaps, metadata?.name ?? '', rootCaConfigMap)?.data ?? {},
      }));
      const expected = state.published[0] ?? certificates[0]?.data[FILE];
      const wrong = certificates.find(
        ({ data }) => data[FILE] === undefined || data[FILE] !== expected || Object.keys(data).length > 1,
      );
      return verdict(state, active.length > 0, wrong && `${wrong.namespace} lacks the certificate`);
    },
  }),
];
