import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createCertificateAuthority } from '../../../base/pki/certificates.ts';
import { generateKeyPair } from '../../../base/pki/keys.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { type ControllerSettings, createControllers } from '../../../controllers/index.ts';
import type { ControllerDefinition } from '../../../runtime/index.ts';
import { genericInvariants } from '../../invariants/generic.ts';
import { credentialsOf } from '../../world/credentials.ts';
import { inGroups } from '../actions.ts';
import { HOUR } from '../instants.ts';
import type { Scenario } from '../world.ts';
import {
  emptiedTokenScenario,
  rootCaScenario,
  rotatedTokenScenario,
  serviceAccountScenario,
  serviceAccountTokenScenario,
} from './accounts.ts';
import { bootstrapSignerScenario, withdrawnRightsScenario } from './bootstrapsigner.ts';
import {
  csrApprovingScenario,
  csrCleanerScenario,
  csrSigningScenario,
  refusedRequestsScenario,
  rotatedSignerScenario,
} from './certificate-requests.ts';
import { circledRolesScenario, clusterRoleAggregationScenario } from './cluster-roles.ts';
import {
  blockedJobScenario,
  claimedJobScenario,
  cleanedJobScenario,
  cronJobScenario,
  lastJobScenario,
  resumedCronJobScenario,
  replacedJobScenario,
} from './cronjob.ts';
import { garbageCollectorScenario, otherKindsScenario, sharedOwnersScenario } from './garbagecollector.ts';
import {
  evictedPodScenario,
  exchangedPodScenario,
  jobScenario,
  overdueJobScenario,
  resumedJobScenario,
  strayPodScenario,
  suspendedJobScenario,
} from './job.ts';
import { legacyTokenScenario } from './legacy-tokens.ts';
import { labelledNamespaceScenario, namespaceScenario } from './namespace.ts';
import { deletedQuotaScenario, quotaScenario } from './quotas.ts';
import { tokenCleanerScenario } from './tokencleaner.ts';
import { ttlAfterFinishedScenario } from './ttlafterfinished.ts';
import { claimScenario, ephemeralClaimScenario, volumeScenario } from './volumes.ts';

/** The workload of a controller with a number of objects. */
export type ScenarioOf = (vocabulary: Vocabulary, objects: number) => Scenario;

/** With nobody who wishes for anything: what goes on by itself in the first of the time. Small, so that what errors alone bring about is found soon. */
const undisturbed =
  (scenarioOf: ScenarioOf): ScenarioOf =>
  (vocabulary, objects) => {
    const scenario = scenarioOf(vocabulary, objects);
    const groups = scenario.groups ?? [scenario];
    return {
      ...scenario,
      instants: scenario.instants.slice(0, 2),
      ...inGroups(
        groups.map((group) => ({ ...group, actions: group.actions.filter(({ progress }) => progress) })),
      ),
    };
  };

/** By controller; what a controller is also tried with has a name after a slash. */
const scenarios: { readonly [workload: string]: ScenarioOf } = {
  bootstrapsigner: bootstrapSignerScenario,
  'bootstrapsigner/rights': withdrawnRightsScenario,
  'clusterrole-aggregation': clusterRoleAggregationScenario,
  'clusterrole-aggregation/circle': circledRolesScenario,
  cronjob: cronJobScenario,
  'cronjob/blocked': blockedJobScenario,
  'cronjob/claimed': claimedJobScenario,
  'cronjob/cleaned': cleanedJobScenario,
  'cronjob/last': lastJobScenario,
  'cronjob/replaced': replacedJobScenario,
  'cronjob/resumed': resumedCronJobScenario,
  'cronjob/undisturbed': undisturbed(cronJobScenario),
  csrapproving: csrApprovingScenario,
  csrcleaner: csrCleanerScenario,
  csrsigning: csrSigningScenario,
  'csrsigning/refused': refusedRequestsScenario,
  'csrsigning/rotated': (vocabulary, objects) =>
    rotatedSignerScenario(authorityOf(vocabulary))(vocabulary, objects),
  garbagecollector: garbageCollectorScenario,
  'garbagecollector/kinds': otherKindsScenario,
  'garbagecollector/shared': sharedOwnersScenario,
  job: jobScenario,
  'job/evicted': evictedPodScenario,
  'job/exchanged': exchangedPodScenario,
  'job/overdue': overdueJobScenario,
  'job/resumed': resumedJobScenario,
  'job/stray': strayPodScenario,
  'job/suspended': suspendedJobScenario,
  'job/undisturbed': undisturbed(jobScenario),
  'legacy-service-account-token-cleaner': legacyTokenScenario,
  namespace: namespaceScenario,
  'namespace/labels': labelledNamespaceScenario,
  'pv-protection': volumeScenario,
  'pvc-protection': claimScenario,
  'pvc-protection/ephemeral': ephemeralClaimScenario,
  resourcequota: quotaScenario,
  'resourcequota/deleted': deletedQuotaScenario,
  'root-ca-cert-publisher': rootCaScenario,
  serviceaccount: serviceAccountScenario,
  'serviceaccount-token': serviceAccountTokenScenario,
  'serviceaccount-token/emptied': emptiedTokenScenario,
  'serviceaccount-token/rotated': (vocabulary, objects) =>
    rotatedTokenScenario(settingsOf(vocabulary).rootCa)(vocabulary, objects),
  'serviceaccount-token/undisturbed': undisturbed(serviceAccountTokenScenario),
  tokencleaner: tokenCleanerScenario,
  ttlafterfinished: ttlAfterFinishedScenario,
};

const controllerOf = (workload: string): string => workload.replace(/\/.*/, '');

/** What `explore` takes: controllers, each with its usual workload, and further workloads of them. */
export const workloads: readonly string[] = Object.keys(scenarios);

/** Controllers that can be explored. */
export const explorable: readonly string[] = workloads.filter((each) => each === controllerOf(each));

/** The workloads of a controller, the usual one first. */
export const workloadsOf = (controller: string): readonly string[] =>
  workloads.filter((each) => controllerOf(each) === controller);

/** A controller of the program and a workload, generic invariants included. Undefined for one that there is not. */
export function subjectOf(
  name: string,
  vocabulary: Vocabulary,
  objects: number,
): { readonly definition: ControllerDefinition; readonly scenario: Scenario } | undefined {
  const definition = createControllers(settingsOf(vocabulary)).find(
    (each) => each.name === controllerOf(name),
  );
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name]?.(vocabulary, objects) : undefined;
  if (!definition || !scenario) return undefined;
  return { definition, scenario: { ...scenario, invariants: [...scenario.invariants, ...quietOnes] } };
}

const made = new Map<string, ControllerSettings>();

/** What is published of the authority in force: the same on all threads, so that what they find can be put together. */
const ROOT_CA = 'the certificate of the authority';

/** Keys that sign the same text the same way each time: with others no two stores with a signature in them are the same. */
function settingsOf(vocabulary: Vocabulary): ControllerSettings {
  const known = made.get(vocabulary.product);
  if (known) return known;
  const { settings } = credentialsOf(vocabulary);
  const pair = generateKeyPair('rsa-2048');
  const random = createSeededRandom(1);
  const subject = { commonName: 'signing-ca', organizations: [] };
  const signer = {
    authority: createCertificateAuthority(subject, pair, VALIDITY, random),
    durationMs: 365 * 24 * HOUR,
  };
  const created: ControllerSettings = {
    ...settings,
    signers: new Map([...settings.signers.keys()].map((each) => [each, signer])),
    serviceAccountKey: pair.privateKey,
    rootCa: ROOT_CA,
  };
  made.set(vocabulary.product, created);
  return created;
}

/** PEM of the authority that signs. */
const authorityOf = (vocabulary: Vocabulary): string =>
  settingsOf(vocabulary).signers.get(vocabulary.signers.nodeClient)?.authority.certificatePem ?? '';

const VALIDITY = { notBeforeMs: Date.UTC(2020, 0, 1), notAfterMs: Date.UTC(2060, 0, 1) };

/** Their histories are empty where nothing is wrong: they add no states. */
const quietOnes = genericInvariants.filter(({ id }) =>
  ['generic/G3', 'generic/G11', 'generic/G12', 'apiserver/W1', 'apiserver/W3'].includes(id),
);
