/**
 * Every identifier that carries the product word comes from here, as a value chosen once at start-up. Under `orch`
 * they read as the specification writes them; under `kubernetes` that system's own clients and components work
 * unchanged. No other module writes the word out.
 */
export type Product = 'orch' | 'kubernetes';

/** Groups whose served name has the suffix of the vocabulary. All others, a stranger's too, are served as they are. */
const SUFFIXED_GROUPS = new Set([
  'admission',
  'admissionregistration',
  'apidiscovery',
  'apiextensions',
  'apiregistration',
  'apiserver.config',
  'audit',
  'authentication',
  'authorization',
  'certificates',
  'client.authentication',
  'coordination',
  'custom.metrics',
  'discovery',
  'eventratelimit.admission',
  'events',
  'flowcontrol.apiserver',
  'imagepolicy',
  'internal.apiserver',
  'meta',
  'metrics',
  'networking',
  'node',
  'rbac.authorization',
  'scheduling',
  'storage',
]);

/** What begins the names of the product's own schemas; a custom resource's has the whole name already. */
const OWN_PACKAGES = new Set(['aggregator', 'api', 'apiextensions-apiserver', 'apimachinery']);

/** What begins the names of OpenAPI vendor extensions, by product. */
export const EXTENSION_PREFIXES: { readonly [P in Product]: string } = {
  kubernetes: 'x-kubernetes-',
  orch: 'x-orch-',
};

export interface Vocabulary {
  readonly product: Product;
  /** Short form in names of components and namespaces: `orch` or `kube`. */
  readonly short: string;
  /** Suffix of API groups: `orch.io` or `k8s.io`. */
  readonly groupSuffix: string;
  /** Domain of labels, annotations, finalizers, secret types and signers: `orch.io` or `kubernetes.io`. */
  readonly domain: string;
  /** The node agent in names of signers and roles: `nodeagent` or `kubelet`. */
  readonly agent: string;

  /** The served name of a group that the code names without suffix: `certificates` → `certificates.orch.io`. */
  group(name: string): string;
  /** The reverse of `group`: `certificates.orch.io` → `certificates`. */
  plainGroup(served: string): string;
  /** `apiVersion` of a group (without suffix) and version: `v1`, `batch/v1`, `certificates.orch.io/v1`. */
  apiVersion(group: string, version: string): string;
  /** A label, annotation, taint or finalizer key: `key('node', 'not-ready')` → `node.orch.io/not-ready`; `''` for no prefix. */
  key(prefix: string, name: string): string;
  /** A key under the group suffix: `groupKey('rbac.authorization', 'aggregate-to-view')`. */
  groupKey(group: string, name: string): string;
  /** A component's user: `component('controller-manager')` → `system:orch-controller-manager`. */
  component(name: string): string;
  /** A header of the product's own: `header('pf-flowschema-uid')` → `x-orch-pf-flowschema-uid`. */
  header(name: string): string;
  /** An OpenAPI vendor extension: `extension('list-type')` → `x-orch-list-type`. */
  extension(name: string): string;
  /** An OpenAPI definition name of a schema's name: `io.orch.api.core.v1.Pod`; of a custom resource's, the name itself. */
  definition(schemaName: string): string;

  /** The API server as a client of node agents, and its group, which has the name of the role that it needs there. */
  readonly agentClient: { readonly user: string; readonly group: string };
  readonly namespaces: { readonly system: string; readonly public: string; readonly nodeLease: string };
  readonly signers: {
    readonly apiserverClient: string;
    readonly nodeClient: string;
    readonly nodeServing: string;
    readonly legacyUnknown: string;
  };
  readonly secretTypes: { readonly serviceAccountToken: string; readonly bootstrapToken: string };
  readonly serviceAccountName: string;
  readonly serviceAccountUid: string;
  readonly enforceMountableSecrets: string;
  /** Label on every namespace with its own name. */
  readonly namespaceNameLabel: string;
  /** ConfigMap with the cluster's CA in every namespace. */
  readonly rootCaConfigMap: string;
  /** Finalizer in `spec.finalizers` of a namespace. */
  readonly namespaceFinalizer: string;
  /**
   * What the signatures on the cluster-info ConfigMap are keyed with: the full token text as specification 1, section
   * 2.5 has it, or the secret part alone, which is what that system's own clients verify with.
   */
  readonly bootstrapSignatureKey: 'token' | 'secret';
  readonly bootstrappingLabel: string;
  readonly autoupdateAnnotation: string;
  /** Label on API services that the server makes and keeps itself. */
  readonly automanagedLabel: string;
  /** Default token audience and issuer. */
  readonly issuer: string;
  /** Issuer in tokens that live in Secrets. */
  readonly legacyTokenIssuer: string;
  /** DNS names of the API service, shortest first. */
  readonly serviceNames: readonly string[];
  readonly protobufMediaType: string;
  /** Begins every value that is encrypted in a store: `orch:enc:` or `k8s:enc:`. */
  readonly encryptionMark: string;
  readonly execInfoVariable: string;
  /** Environment variables that every container has: where the API service is. */
  readonly serviceHostVariable: string;
  readonly servicePortVariable: string;
  readonly configVariable: string;
  /** Folder below the home directory that holds the default client configuration `config`. */
  readonly configFolder: string;
  /** First part of a projected token volume's name; a random suffix follows. */
  readonly tokenVolumePrefix: string;
  readonly tokenMountPath: string;
}

function createVocabulary(product: Product): Vocabulary {
  const orch = product === 'orch';
  const short = orch ? 'orch' : 'kube';
  const groupSuffix = orch ? 'orch.io' : 'k8s.io';
  const domain = `${product}.io`;
  const agent = orch ? 'nodeagent' : 'kubelet';
  const host = product;
  const group = (name: string): string => (SUFFIXED_GROUPS.has(name) ? `${name}.${groupSuffix}` : name);
  const key = (prefix: string, name: string): string =>
    `${prefix === '' ? '' : `${prefix}.`}${domain}/${name}`;
  return {
    product,
    short,
    groupSuffix,
    domain,
    agent,
    group,
    plainGroup: (served) => {
      const plain = served.endsWith(`.${groupSuffix}`) ? served.slice(0, -groupSuffix.length - 1) : served;
      return SUFFIXED_GROUPS.has(plain) ? plain : served;
    },
    apiVersion: (name, version) => (name === '' ? version : `${group(name)}/${version}`),
    key,
    groupKey: (name, suffix) => `${name}.${groupSuffix}/${suffix}`,
    component: (name) => `system:${short}-${name}`,
    header: (name) => `x-${product}-${name}`,
    extension: (name) => `${EXTENSION_PREFIXES[product]}${name}`,
    definition: (schemaName) => {
      if (!OWN_PACKAGES.has(schemaName.slice(0, schemaName.indexOf('.')))) return schemaName;
      const packaged = schemaName.startsWith('aggregator.') ? `${short}-${schemaName}` : schemaName;
      return `io.${orch ? 'orch' : 'k8s'}.${packaged}`;
    },
    agentClient: { user: `${short}-apiserver-${agent}-client`, group: `system:${agent}-api-admin` },
    namespaces: { system: `${short}-system`, public: `${short}-public`, nodeLease: `${short}-node-lease` },
    signers: {
      apiserverClient: `${domain}/${short}-apiserver-client`,
      nodeClient: `${domain}/${short}-apiserver-client-${agent}`,
      nodeServing: `${domain}/${agent}-serving`,
      legacyUnknown: `${domain}/legacy-unknown`,
    },
    secretTypes: {
      serviceAccountToken: `${domain}/service-account-token`,
      bootstrapToken: `bootstrap.${domain}/token`,
    },
    serviceAccountName: key('', 'service-account.name'),
    serviceAccountUid: key('', 'service-account.uid'),
    enforceMountableSecrets: key('', 'enforce-mountable-secrets'),
    namespaceNameLabel: key('', 'metadata.name'),
    rootCaConfigMap: `${short}-root-ca.crt`,
    namespaceFinalizer: product,
    bootstrapSignatureKey: orch ? 'token' : 'secret',
    bootstrappingLabel: key('', 'bootstrapping'),
    autoupdateAnnotation: `rbac.authorization.${domain}/autoupdate`,
    automanagedLabel: key(`${short}-aggregator`, 'automanaged'),
    issuer: `https://${host}.default.svc.cluster.local`,
    legacyTokenIssuer: `${product}/serviceaccount`,
    serviceNames: [host, `${host}.default`, `${host}.default.svc`, `${host}.default.svc.cluster.local`],
    encryptionMark: `${orch ? 'orch' : 'k8s'}:enc:`,
    protobufMediaType: `application/vnd.${product}.protobuf`,
    execInfoVariable: `${product.toUpperCase()}_EXEC_INFO`,
    serviceHostVariable: `${product.toUpperCase()}_SERVICE_HOST`,
    servicePortVariable: `${product.toUpperCase()}_SERVICE_PORT`,
    configVariable: `${short.toUpperCase()}CONFIG`,
    configFolder: `.${short}`,
    tokenVolumePrefix: `${short}-api-access-`,
    tokenMountPath: `/var/run/secrets/${domain}/serviceaccount`,
  };
}

export const orchVocabulary: Vocabulary = createVocabulary('orch');
export const kubernetesVocabulary: Vocabulary = createVocabulary('kubernetes');

export const vocabularies: readonly Vocabulary[] = [orchVocabulary, kubernetesVocabulary];

export const vocabularyOf = (product: Product): Vocabulary =>
  product === 'orch' ? orchVocabulary : kubernetesVocabulary;

/**
 * The vocabulary of a server that serves these groups: the one that more of them are named in, for a server of either
 * may serve a stranger's. Undefined where none of them has a suffix.
 */
export function vocabularyOfGroups(served: readonly string[]): Vocabulary | undefined {
  const [most] = vocabularies
    .map((vocabulary) => ({
      vocabulary,
      count: served.filter((group) => vocabulary.plainGroup(group) !== group).length,
    }))
    .toSorted((a, b) => b.count - a.count);
  return most === undefined || most.count === 0 ? undefined : most.vocabulary;
}
