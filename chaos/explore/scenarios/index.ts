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
import type { Scenario } from '../scenario.ts';
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
  extendedCronJobScenario,
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

/** Creates the workload of a controller with a number of objects. */
export type ScenarioOf = (vocabulary: Vocabulary, objects: number) => Scenario;

/**
 * Reduces a workload to its progress actions and first two instants. Being small, it quickly shows what
 * faults alone cause.
 */
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

/** Workloads by controller; additional ones have a suffix after a slash. */
const scenarios: { readonly [workload: string]: ScenarioOf } = {
  bootstrapsigner: bootstrapSignerScenario,
  'bootstrapsigner/rights': withdrawnRightsScenario,
  'clusterrole-aggregation': clusterRoleAggregationScenario,
  'clusterrole-aggregation/circle': circledRolesScenario,
  cronjob: cronJobScenario,
  'cronjob/blocked': blockedJobScenario,
  'cronjob/claimed': claimedJobScenario,
  'cronjob/cleaned': cleanedJobScenario,
  'cronjob/extended': extendedCronJobScenario,
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

/** Names that `explore` accepts: controllers with their default workload, and additional workloads. */
export const workloads: readonly string[] = Object.keys(scenarios);

/** Controllers that can be explored. */
export const explorable: readonly string[] = workloads.filter((each) => each === controllerOf(each));

/** Returns the workloads of a controller, the default one first. */
export const workloadsOf = (controller: string): readonly string[] =>
  workloads.filter((each) => controllerOf(each) === controller);

/**
 * Returns a controller with a workload, including the generic invariants; undefined if there is no such
 * workload.
 */
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

/** Published certificate of the authority. It is constant, because results of threads are combined. */
const ROOT_CA = 'the certificate of the authority';

/**
 * Returns settings with deterministic signatures. Otherwise no two stores with a signature would be equal.
 */
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

/** Returns the PEM of the signing authority. */
const authorityOf = (vocabulary: Vocabulary): string =>
  settingsOf(vocabulary).signers.get(vocabulary.signers.nodeClient)?.authority.certificatePem ?? '';

const VALIDITY = { notBeforeMs: Date.UTC(2020, 0, 1), notAfterMs: Date.UTC(2060, 0, 1) };

/** Generic invariants whose state stays empty without a violation, so that they add no states. */
const quietOnes = genericInvariants.filter(({ id }) =>
  ['generic/G3', 'generic/G11', 'generic/G12', 'apiserver/W1', 'apiserver/W3'].includes(id),
);
