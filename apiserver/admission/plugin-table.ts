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
import type { ApiObject, Kind, Scheme } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/index.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
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

/** Dependencies of all plugins. Each plugin takes what it needs. */
export interface AdmissionDependencies extends Environment {
  readonly vocabulary: Vocabulary;
  /** All current kinds, including custom ones. */
  readonly scheme: Scheme;
  /** Kinds that are served. */
  readonly served: Scheme;
  /** Predicate that is true for enabled features. */
  readonly enabled: Enabled;
  readonly authorizer: Authorizer;
  /** Returns a reader of the cached objects of a kind, such as `objects(namespaces)`. */
  readonly objects: <T extends ApiObject>(kind: Kind<T>) => ObjectReader<T>;
  /** Registry for plugins that write objects. */
  readonly registry: Registry;
  readonly metrics: Metrics;
  /** Client for addresses that API clients choose. Undefined if such requests are disabled. */
  readonly outbound: Outbound | undefined;
  /** Client for services that configuration files name. */
  readonly configuredOutbound: Outbound | undefined;
  readonly resolveService: ServiceResolver;
  /**
   * Returns the text of a file that a plugin's configuration names. Throws an error that contains the path if
   * the file cannot be read.
   */
  readonly readFile: (path: string) => string;
  /**
   * Returns the service that a kubeconfig file names, for a plugin's configuration. Throws an error that
   * contains the path if the file is invalid.
   */
  readonly remoteOf: (path: string) => Remote;
  /** Default time for which pods stay on failed nodes. */
  readonly tolerationSeconds?: TolerationSeconds;
}

/** Dependencies including the objects that the plugins of one server share. */
interface PluginDependencies extends AdmissionDependencies {
  readonly webhookMetrics: () => MetricsOf;
}

/** Entry of the plugin table. */
interface PluginEntry {
  /** True if the plugin runs unless disabled; false if it runs only when enabled. */
  readonly isDefault: boolean;
  /** True if upstream has deprecated the plugin. Enabling it logs a warning. */
  readonly isDeprecated: boolean;
  /**
   * Creates the plugin. `configuration` is the plugin's part of the configuration file, parsed from YAML but
   * not validated, or undefined. Throws an error if the configuration is invalid.
   */
  readonly create: (dependencies: PluginDependencies, configuration: unknown) => AdmissionPlugin;
}

const on = (create: PluginEntry['create']): PluginEntry => ({ isDefault: true, isDeprecated: false, create });
/** Creates the entry of a plugin that runs only when enabled. */
const off = (create: PluginEntry['create']): PluginEntry => ({
  isDefault: false,
  isDeprecated: false,
  create,
});

const deprecated = (create: PluginEntry['create']): PluginEntry => ({ ...off(create), isDeprecated: true });

/**
 * All plugins in the order in which each phase runs them. The configuration cannot change this order, which
 * is upstream's
 * (https://github.com/kubernetes/kubernetes/blob/release-1.24/pkg/kubeapiserver/options/plugins.go). For
 * `DenyEscalatingExec` and `DenyExecOnPrivileged`, it is their position in the last release that contained
 * them.
 */
const PLUGINS = {
  AlwaysAdmit: deprecated(createAlwaysAdmit),
  NamespaceAutoProvision: off((given) =>
    createNamespaceAutoProvision({ ...given, namespaces: given.objects(namespaces) }),
  ),
  NamespaceLifecycle: on((given) =>
    createNamespaceLifecycle({ ...given, namespaces: given.objects(namespaces) }),
  ),
  NamespaceExists: off((given) => createNamespaceExists({ namespaces: given.objects(namespaces) })),
  SecurityContextDeny: off(({ vocabulary }) => createSecurityContextDeny(vocabulary)),
  LimitPodHardAntiAffinityTopology: off(({ vocabulary }) =>
    createLimitPodHardAntiAffinityTopology(vocabulary),
  ),
  LimitRanger: on((given) => createLimitRanger({ ...given, limitRanges: given.objects(limitRanges) })),
  ServiceAccount: on((given) =>
    createServiceAccountAdmission({ ...given, serviceAccounts: given.objects(serviceAccounts) }),
  ),
  NodeRestriction: off((given) =>
    createNodeRestriction({ ...given, pods: given.objects(pods), nodes: given.objects(nodes) }),
  ),
  TaintNodesByCondition: on(({ vocabulary }) => createTaintNodesByCondition(vocabulary)),
  AlwaysPullImages: off(({ vocabulary }) => createAlwaysPullImages(vocabulary)),
  ImagePolicyWebhook: off(createImagePolicyWebhook),
  PodSecurity: on((given, configuration) =>
    createPodSecurity(
      { ...given, namespaces: given.objects(namespaces), pods: given.objects(pods) },
      configuration,
    ),
  ),
  PodSecurityPolicy: deprecated((given) =>
    createPodSecurityPolicy({ ...given, policies: given.objects(podSecurityPolicies) }),
  ),
  PodNodeSelector: off((given, configuration) =>
    createPodNodeSelector({ ...given, namespaces: given.objects(namespaces) }, configuration),
  ),
  Priority: on((given) => createPriority({ ...given, priorityClasses: given.objects(priorityClasses) })),
  DefaultTolerationSeconds: on((given) =>
    createDefaultTolerationSeconds({ ...given, ...given.tolerationSeconds }),
  ),
  PodTolerationRestriction: off((given, configuration) =>
    createPodTolerationRestriction({ ...given, namespaces: given.objects(namespaces) }, configuration),
  ),
  DenyEscalatingExec: deprecated((given) =>
    createDenyEscalatingExec({ ...given, pods: given.objects(pods) }),
  ),
  DenyExecOnPrivileged: deprecated((given) =>
    createDenyExecOnPrivileged({ ...given, pods: given.objects(pods) }),
  ),
  EventRateLimit: off(createEventRateLimit),
  ExtendedResourceToleration: off(({ vocabulary }) => createExtendedResourceToleration(vocabulary)),
  PersistentVolumeLabel: deprecated(({ vocabulary }) => createPersistentVolumeLabel(vocabulary)),
  DefaultStorageClass: on((given) =>
    createDefaultStorageClass({ ...given, storageClasses: given.objects(storageClasses) }),
  ),
  StorageObjectInUseProtection: on(({ vocabulary }) => createStorageObjectInUseProtection(vocabulary)),
  OwnerReferencesPermissionEnforcement: off(createOwnerReferencesPermissionEnforcement),
  PersistentVolumeClaimResize: on((given) =>
    createPersistentVolumeClaimResize({ ...given, storageClasses: given.objects(storageClasses) }),
  ),
  RuntimeClass: on((given) =>
    createRuntimeClass({ ...given, runtimeClasses: given.objects(runtimeClasses) }),
  ),
  CertificateApproval: on(createCertificateApproval),
  CertificateSigning: on(createCertificateSigning),
  CertificateSubjectRestriction: on(({ vocabulary }) => createCertificateSubjectRestriction(vocabulary)),
  DefaultIngressClass: on((given) =>
    createDefaultIngressClass({ ...given, ingressClasses: given.objects(ingressClasses) }),
  ),
  DenyServiceExternalIPs: off(({ vocabulary }) => createDenyServiceExternalIps(vocabulary)),
  MutatingAdmissionWebhook: on(createMutatingWebhooks),
  ValidatingAdmissionWebhook: on(createValidatingWebhooks),
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
  AlwaysDeny: deprecated(({ vocabulary }) => createAlwaysDeny(vocabulary)),
} as const satisfies { readonly [name: string]: PluginEntry };

/** Name of an admission plugin in flags and configuration files. */
export type PluginName = keyof typeof PLUGINS;

/** Names of all plugins, in execution order. */
export const admissionPluginNames = Object.keys(PLUGINS) as readonly PluginName[];

const isPluginName = (name: string): name is PluginName => Object.hasOwn(PLUGINS, name);

/** Selection of plugins and their configuration. */
export interface AdmissionChoice {
  /** Plugins to enable in addition to the default plugins. */
  readonly enable: readonly string[];
  /** Default plugins to disable. */
  readonly disable: readonly string[];
  /** Parsed configuration by plugin name. */
  readonly configuration: ReadonlyMap<string, unknown>;
}

/** Error codes of an invalid selection. */
export type AdmissionChoiceErrorCode = 'ERR_ADMISSION_CHOICE' | 'ERR_ADMISSION_CONFIGURATION';

/**
 * Error for an invalid selection: a name is unknown, both enabled and disabled, or has an invalid
 * configuration.
 */
export class AdmissionChoiceError extends CodedError<AdmissionChoiceErrorCode> {}

/**
 * Validates a selection. Throws `AdmissionChoiceError` with upstream's message for a name that is unknown, or
 * both enabled and disabled.
 */
export function checkAdmissionChoice({ enable, disable }: Pick<AdmissionChoice, 'enable' | 'disable'>): void {
  const unknown = (names: readonly string[], flag: string): readonly string[] =>
    names
      .filter((name) => !isPluginName(name))
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

/** Returns the names of the selected plugins, in execution order. */
export const chosenPlugins = ({
  enable,
  disable,
}: Pick<AdmissionChoice, 'enable' | 'disable'>): readonly PluginName[] =>
  admissionPluginNames.filter(
    (name) => enable.includes(name) || (PLUGINS[name].isDefault && !disable.includes(name)),
  );

/** Returns the names of the selected plugins that upstream has deprecated. */
export const deprecatedPlugins = (choice: Pick<AdmissionChoice, 'enable' | 'disable'>): readonly string[] =>
  chosenPlugins(choice).filter((name) => PLUGINS[name].isDeprecated);

const BY_DEFAULT: AdmissionChoice = { enable: [], disable: [], configuration: new Map() };

/**
 * Creates the selected plugins in execution order. Throws `AdmissionChoiceError` if the selection is invalid.
 * The check against privilege escalation (`authorization/escalation.ts`) is not part of the table: it cannot
 * be disabled, and runs last.
 */
export function createAdmissionPlugins(
  dependencies: AdmissionDependencies,
  choice: AdmissionChoice = BY_DEFAULT,
): readonly AdmissionPlugin[] {
  checkAdmissionChoice(choice);
  for (const plugin of deprecatedPlugins(choice))
    dependencies.log.warn(
      { plugin },
      `${plugin} admission controller is deprecated: remove it from --enable-admission-plugins`,
    );
  let counted: MetricsOf | undefined;
  const webhookMetrics = (): MetricsOf => (counted ??= createWebhookMetrics(dependencies.metrics));
  const given: PluginDependencies = { ...dependencies, webhookMetrics };
  return chosenPlugins(choice).map((name) => {
    try {
      return PLUGINS[name].create(given, choice.configuration.get(name));
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
