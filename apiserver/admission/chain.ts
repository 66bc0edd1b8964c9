import type { Enabled } from '../../api/features/features.ts';
import { limitRanges, namespaces, nodes, pods, serviceAccounts } from '../../api/groups/core-v1.ts';
import { ingressClasses } from '../../api/groups/networking-v1.ts';
import { storageClasses } from '../../api/groups/storage-v1.ts';
import {
  podSecurityPolicies,
  priorityClasses,
  resourceQuotas,
  runtimeClasses,
} from '../../api/groups/index.ts';
import type { ApiObject, Kind } from '../../api/kinds/kind.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/coded.ts';
import type { Outbound } from '../../base/http/outbound.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import type { Remote } from '../outbound/remote-review.ts';
import type { ServiceResolver } from '../outbound/service-resolver.ts';
import type { ObjectReader, Registry } from '../registry/registry.ts';
import type { AdmissionPlugin, Authorizer } from '../request.ts';
import { createAlwaysAdmit } from './always-admit.ts';
import { createAlwaysDeny } from './always-deny.ts';
import { createAlwaysPullImages } from './always-pull-images.ts';
import { createCertificateApproval } from './certificate-approval.ts';
import { createCertificateSigning } from './certificate-signing.ts';
import { createCertificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { createDefaultIngressClass } from './default-ingress-class.ts';
import { createDefaultStorageClass } from './default-storage-class.ts';
import { type TolerationSeconds, createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { createDenyEscalatingExec, createDenyExecOnPrivileged } from './deny-exec.ts';
import { createDenyServiceExternalIps } from './deny-service-external-ips.ts';
import { createEventRateLimit } from './event-rate-limit.ts';
import { createExtendedResourceToleration } from './extended-resource-toleration.ts';
import { createImagePolicyWebhook } from './image-policy-webhook.ts';
import { createLimitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { createNamespaceAutoProvision } from './namespace-auto-provision.ts';
import { createNamespaceExists } from './namespace-exists.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { createPersistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { createPersistentVolumeLabel } from './persistent-volume-label.ts';
import { createPodNodeSelector } from './pod-node-selector.ts';
import { createPodSecurity } from './pod-security/pod-security.ts';
import { createPodSecurityPolicy } from './pod-security-policy/pod-security-policy.ts';
import { createPodTolerationRestriction } from './pod-toleration-restriction.ts';
import { createPriority } from './priority.ts';
import { createResourceQuota } from './resource-quota/resource-quota.ts';
import { createNodeRestriction } from './node-restriction.ts';
import { createOwnerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.ts';
import { createRuntimeClass } from './runtime-class.ts';
import { createSecurityContextDeny } from './security-context-deny.ts';
import { createServiceAccountAdmission } from './service-account.ts';
import { createStorageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { createTaintNodesByCondition } from './taint-nodes-by-condition.ts';
import { type MetricsOf, createWebhookMetrics } from './webhook/metrics.ts';
import { createMutatingWebhooks } from './webhook/mutating.ts';
import { createValidatingWebhooks } from './webhook/validating.ts';

/** What plugins are made from. Each takes what it needs: `createX(dependencies, configuration)`. */
export interface AdmissionDependencies extends Environment {
  readonly vocabulary: Vocabulary;
  /** All kinds that objects can be of, custom ones included; a view of the present. */
  readonly scheme: Scheme;
  /** Those of them that clients can reach. */
  readonly served: Scheme;
  /** Which features are on. */
  readonly enabled: Enabled;
  readonly authorizer: Authorizer;
  /** Cached objects of a kind: `objects(namespaces)`. */
  readonly objects: <T extends ApiObject>(kind: Kind<T>) => ObjectReader<T>;
  /** For plugins that write themselves. */
  readonly registry: Registry;
  readonly metrics: Metrics;
  /** Requests to addresses that clients choose; undefined: there is no way out. */
  readonly outbound: Outbound | undefined;
  /** Requests to services that configuration files name. */
  readonly configuredOutbound: Outbound | undefined;
  readonly resolveService: ServiceResolver;
  /** The text of a file that a plugin's configuration names. Throws one sentence that names it. */
  readonly readFile: (path: string) => string;
  /** The service of a client configuration file that a plugin's configuration names. Throws one sentence that names it. */
  readonly remoteOf: (path: string) => Remote;
  /** How long pods stay by default on nodes that fail. */
  readonly tolerationSeconds?: TolerationSeconds;
}

/** What the plugins of one server have in common besides. */
interface PluginDependencies extends AdmissionDependencies {
  readonly webhookMetrics: () => MetricsOf;
}

/** One line of the table of plugins. */
interface PluginEntry {
  /** Whether it runs unless it is disabled, or only once it is enabled. */
  readonly isDefault: boolean;
  /** Upstream has given it up, or will: who enables it is told. */
  readonly isDeprecated?: boolean;
  /**
   * `configuration` is what the configuration file says of the plugin, parsed from YAML and not looked at any further;
   * undefined where it says nothing. Throws `Error` saying what is wrong with it.
   */
  readonly create: (dependencies: PluginDependencies, configuration: unknown) => AdmissionPlugin;
}

const on = (create: PluginEntry['create']): PluginEntry => ({ isDefault: true, create });
/** Runs only once it is enabled. */
export const off = (create: PluginEntry['create']): PluginEntry => ({ isDefault: false, create });

const deprecated = (create: PluginEntry['create']): PluginEntry => ({ ...off(create), isDeprecated: true });

/** Every plugin there is; `ADMISSION_ORDER` says when it runs. */
const PLUGINS: { readonly [name: string]: PluginEntry } = {
  AlwaysAdmit: deprecated(createAlwaysAdmit),
  AlwaysDeny: deprecated(({ vocabulary }) => createAlwaysDeny(vocabulary)),
  AlwaysPullImages: off(({ vocabulary }) => createAlwaysPullImages(vocabulary)),
  CertificateApproval: on(createCertificateApproval),
  CertificateSigning: on(createCertificateSigning),
  CertificateSubjectRestriction: on(({ vocabulary }) => createCertificateSubjectRestriction(vocabulary)),
  DefaultIngressClass: on((given) =>
    createDefaultIngressClass({ ...given, ingressClasses: given.objects(ingressClasses) }),
  ),
  DefaultStorageClass: on((given) =>
    createDefaultStorageClass({ ...given, storageClasses: given.objects(storageClasses) }),
  ),
  DefaultTolerationSeconds: on((given) =>
    createDefaultTolerationSeconds({ ...given, ...given.tolerationSeconds }),
  ),
  DenyEscalatingExec: deprecated((given) =>
    createDenyEscalatingExec({ ...given, pods: given.objects(pods) }),
  ),
  DenyExecOnPrivileged: deprecated((given) =>
    createDenyExecOnPrivileged({ ...given, pods: given.objects(pods) }),
  ),
  DenyServiceExternalIPs: off(({ vocabulary }) => createDenyServiceExternalIps(vocabulary)),
  EventRateLimit: off(createEventRateLimit),
  ExtendedResourceToleration: off(({ vocabulary }) => createExtendedResourceToleration(vocabulary)),
  ImagePolicyWebhook: off(createImagePolicyWebhook),
  LimitPodHardAntiAffinityTopology: off(({ vocabulary }) =>
    createLimitPodHardAntiAffinityTopology(vocabulary),
  ),
  LimitRanger: on((given) => createLimitRanger({ ...given, limitRanges: given.objects(limitRanges) })),
  MutatingAdmissionWebhook: on(createMutatingWebhooks),
  NamespaceAutoProvision: off((given) =>
    createNamespaceAutoProvision({ ...given, namespaces: given.objects(namespaces) }),
  ),
  NamespaceExists: off((given) => createNamespaceExists({ namespaces: given.objects(namespaces) })),
  NamespaceLifecycle: on((given) =>
    createNamespaceLifecycle({ ...given, namespaces: given.objects(namespaces) }),
  ),
  NodeRestriction: off((given) =>
    createNodeRestriction({ ...given, pods: given.objects(pods), nodes: given.objects(nodes) }),
  ),
  OwnerReferencesPermissionEnforcement: off(createOwnerReferencesPermissionEnforcement),
  PersistentVolumeClaimResize: on((given) =>
    createPersistentVolumeClaimResize({ ...given, storageClasses: given.objects(storageClasses) }),
  ),
  PersistentVolumeLabel: deprecated(({ vocabulary }) => createPersistentVolumeLabel(vocabulary)),
  PodNodeSelector: off((given, configuration) =>
    createPodNodeSelector({ ...given, namespaces: given.objects(namespaces) }, configuration),
  ),
  PodSecurity: on((given, configuration) =>
    createPodSecurity(
      { ...given, namespaces: given.objects(namespaces), pods: given.objects(pods) },
      configuration,
    ),
  ),
  PodSecurityPolicy: deprecated((given) =>
    createPodSecurityPolicy({ ...given, policies: given.objects(podSecurityPolicies) }),
  ),
  PodTolerationRestriction: off((given, configuration) =>
    createPodTolerationRestriction({ ...given, namespaces: given.objects(namespaces) }, configuration),
  ),
  Priority: on((given) => createPriority({ ...given, priorityClasses: given.objects(priorityClasses) })),
  ResourceQuota: on((given, configuration) =>
    createResourceQuota(
      {
        ...given,
        quotas: given.objects(resourceQuotas),
        registry: given.registry.of(resourceQuotas),
      },
      configuration,
    ),
  ),
  RuntimeClass: on((given) =>
    createRuntimeClass({ ...given, runtimeClasses: given.objects(runtimeClasses) }),
  ),
  SecurityContextDeny: off(({ vocabulary }) => createSecurityContextDeny(vocabulary)),
  ServiceAccount: on((given) =>
    createServiceAccountAdmission({ ...given, serviceAccounts: given.objects(serviceAccounts) }),
  ),
  StorageObjectInUseProtection: on(({ vocabulary }) => createStorageObjectInUseProtection(vocabulary)),
  TaintNodesByCondition: on(({ vocabulary }) => createTaintNodesByCondition(vocabulary)),
  ValidatingAdmissionWebhook: on(createValidatingWebhooks),
};

/**
 * The order in which plugins run, each phase on its own: upstream's, not the configuration's. The two that refuse
 * connections into privileged pods stand where they last stood upstream.
 */
export const ADMISSION_ORDER: readonly string[] = [
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'SecurityContextDeny',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodSecurityPolicy',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'DenyEscalatingExec',
  'DenyExecOnPrivileged',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'PersistentVolumeLabel',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
];

/** Which plugins run, and how they are configured. */
export interface AdmissionChoice {
  /** Names to run besides those that run by default. */
  readonly enable: readonly string[];
  /** Names not to run. */
  readonly disable: readonly string[];
  /** What the configuration file says, by the plugin's name. */
  readonly configuration: ReadonlyMap<string, unknown>;
}

export type AdmissionChoiceErrorCode = 'ERR_ADMISSION_CHOICE' | 'ERR_ADMISSION_CONFIGURATION';

/** The plugins that were asked for cannot be made: a name is unknown, or a configuration is wrong. */
export class AdmissionChoiceError extends CodedError<AdmissionChoiceErrorCode> {}

/** Throws `AdmissionChoiceError` in upstream's words for a name that is unknown, or both enabled and disabled. */
export function checkAdmissionChoice({ enable, disable }: Pick<AdmissionChoice, 'enable' | 'disable'>): void {
  const unknown = (names: readonly string[], flag: string): readonly string[] =>
    names
      .filter((name) => !Object.hasOwn(PLUGINS, name))
      .map((name) => `${flag}-admission-plugins plugin ${JSON.stringify(name)} is unknown`);
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).toSorted();
  const problems = [
    ...unknown(enable, 'enable'),
    ...unknown(disable, 'disable'),
    ...(both.length === 0
      ? []
      : [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`]),
  ];
  if (problems.length > 0) throw new AdmissionChoiceError('ERR_ADMISSION_CHOICE', problems.join(', '));
}

/** The names of the plugins that run, in order. */
export const chosenPlugins = ({
  enable,
  disable,
}: Pick<AdmissionChoice, 'enable' | 'disable'>): readonly string[] =>
  ADMISSION_ORDER.filter((name) => {
    const entry = Object.hasOwn(PLUGINS, name) ? PLUGINS[name] : undefined;
    return entry !== undefined && (enable.includes(name) || (entry.isDefault && !disable.includes(name)));
  });

/** Of those the ones that are deprecated (specification 1, section 9.2, rule 6). */
export const deprecatedPlugins = (choice: Pick<AdmissionChoice, 'enable' | 'disable'>): readonly string[] =>
  chosenPlugins(choice).filter((name) => PLUGINS[name]?.isDeprecated === true);

/** Every name that a choice may hold, in order. */
export const admissionPluginNames: readonly string[] = ADMISSION_ORDER.filter((name) =>
  Object.hasOwn(PLUGINS, name),
);

const BY_DEFAULT: AdmissionChoice = { enable: [], disable: [], configuration: new Map() };

/**
 * The plugins in the order they run (specification 1, section 5.11). Throws `AdmissionChoiceError`. The check against
 * escalation (`authorization/escalation.ts`) is none of them: it can't be switched off, and runs last.
 */
export function createAdmissionPlugins(
  dependencies: AdmissionDependencies,
  choice: AdmissionChoice = BY_DEFAULT,
): readonly AdmissionPlugin[] {
  checkAdmissionChoice(choice);
  for (const plugin of deprecatedPlugins(choice))
    dependencies.log.warn(
      { plugin },
      `${plugin} admission controller is deprecated: it should be taken out of --enable-admission-plugins`,
    );
  let counted: MetricsOf | undefined;
  const webhookMetrics = (): MetricsOf => (counted ??= createWebhookMetrics(dependencies.metrics));
  const given: PluginDependencies = { ...dependencies, webhookMetrics };
  return chosenPlugins(choice).flatMap((name) => {
    const entry = PLUGINS[name];
    if (entry === undefined) return [];
    try {
      return [entry.create(given, choice.configuration.get(name))];
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new AdmissionChoiceError(
        'ERR_ADMISSION_CONFIGURATION',
        `couldn't init admission plugin ${JSON.stringify(name)}: ${why}`,
        { cause },
      );
    }
  });
}
