/**
 * Product whose names the server uses. All identifiers with the product's name come from this module, as a
 * value chosen at start-up. Under `kubernetes`, unmodified Kubernetes clients and components work.
 */
export type Product = 'orch' | 'kubernetes';

/**
 * Groups whose served name has the vocabulary's suffix. All others, including those of clients, are served as
 * they are.
 */
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

/**
 * First parts of the names of built-in schemas; the name of a custom resource's schema is complete already.
 */
const OWN_PACKAGES = new Set(['aggregator', 'api', 'apiextensions-apiserver', 'apimachinery']);

/** Prefixes of OpenAPI vendor extensions, by product. */
export const EXTENSION_PREFIXES: { readonly [P in Product]: string } = {
  kubernetes: 'x-kubernetes-',
  orch: 'x-orch-',
};

/** Identifiers under one product name. */
export interface Vocabulary {
  readonly product: Product;
  /** Short form in names of components and namespaces: `orch` or `kube`. */
  readonly short: string;
  /** Suffix of API groups: `orch.io` or `k8s.io`. */
  readonly groupSuffix: string;
  /** Domain of labels, annotations, finalizers, secret types and signers: `orch.io` or `kubernetes.io`. */
  readonly domain: string;
  /** The kubelet's name in signers and roles: `nodeagent` or `kubelet`. */
  readonly agent: string;

  /** Returns the served name of a group: `certificates` → `certificates.orch.io`. */
  group(name: string): string;
  /** Returns the group without suffix: `certificates.orch.io` → `certificates`. */
  plainGroup(served: string): string;
  /**
   * Returns the `apiVersion` of a group (without suffix) and version: `v1`, `batch/v1`,
   * `certificates.orch.io/v1`.
   */
  apiVersion(group: string, version: string): string;
  /**
   * Returns a label, annotation, taint or finalizer key: `key('node', 'not-ready')` →
   * `node.orch.io/not-ready`; `''` for no prefix.
   */
  key(prefix: string, name: string): string;
  /** Returns a key under the group suffix: `groupKey('rbac.authorization', 'aggregate-to-view')`. */
  groupKey(group: string, name: string): string;
  /**
   * Returns the user of a component: `component('controller-manager')` → `system:orch-controller-manager`.
   */
  component(name: string): string;
  /** Returns a product-specific header: `header('pf-flowschema-uid')` → `x-orch-pf-flowschema-uid`. */
  header(name: string): string;
  /** Returns an OpenAPI vendor extension: `extension('list-type')` → `x-orch-list-type`. */
  extension(name: string): string;
  /**
   * Returns the OpenAPI name of a schema: `io.orch.api.core.v1.Pod`; that of a custom resource is unchanged.
   */
  definition(schemaName: string): string;

  /**
   * User and group of the API server as a client of kubelets; the group has the name of the role that it
   * needs there.
   */
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
  /** Label with the namespace's name, on every namespace. */
  readonly namespaceNameLabel: string;
  /** ConfigMap with the cluster's CA, in every namespace. */
  readonly rootCaConfigMap: string;
  /** Finalizer in `spec.finalizers` of a namespace. */
  readonly namespaceFinalizer: string;
  /**
   * Key of the signatures on the cluster-info ConfigMap: the full token under `orch`, the secret part under
   * `kubernetes`, as upstream's clients verify it
   * (https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#configmap-signing).
   */
  readonly bootstrapSignatureKey: 'token' | 'secret';
  readonly bootstrappingLabel: string;
  readonly autoupdateAnnotation: string;
  /** Label on API services that the server creates and updates itself. */
  readonly automanagedLabel: string;
  /** Default audience and issuer of tokens. */
  readonly issuer: string;
  /** Issuer of tokens in Secrets. */
  readonly legacyTokenIssuer: string;
  /** DNS names of the API service, shortest first. */
  readonly serviceNames: readonly string[];
  readonly protobufMediaType: string;
  /** Prefix of encrypted values in a store: `orch:enc:` or `k8s:enc:`. */
  readonly encryptionMark: string;
  readonly execInfoVariable: string;
  /** Environment variables with the address of the API service, set in every container. */
  readonly serviceHostVariable: string;
  readonly servicePortVariable: string;
  readonly configVariable: string;
  /** Folder in the home directory with the client configuration `config`. */
  readonly configFolder: string;
  /** Prefix of a projected token volume's name; a random suffix follows. */
  readonly tokenVolumePrefix: string;
  readonly tokenMountPath: string;
}

/** Members that other identifiers are composed of. */
type Basis = Pick<Vocabulary, 'product' | 'short' | 'groupSuffix' | 'domain' | 'agent'>;
type Composers =
  | 'group'
  | 'plainGroup'
  | 'apiVersion'
  | 'key'
  | 'groupKey'
  | 'component'
  | 'header'
  | 'extension'
  | 'definition';

const BASES: { readonly [P in Product]: Basis } = {
  orch: { product: 'orch', short: 'orch', groupSuffix: 'orch.io', domain: 'orch.io', agent: 'nodeagent' },
  kubernetes: {
    product: 'kubernetes',
    short: 'kube',
    groupSuffix: 'k8s.io',
    domain: 'kubernetes.io',
    agent: 'kubelet',
  },
};

function composersOf({ product, short, groupSuffix, domain }: Basis): Pick<Vocabulary, Composers> {
  const group = (name: string): string => (SUFFIXED_GROUPS.has(name) ? `${name}.${groupSuffix}` : name);
  return {
    group,
    plainGroup: (served) => {
      const plain = served.endsWith(`.${groupSuffix}`) ? served.slice(0, -groupSuffix.length - 1) : served;
      return SUFFIXED_GROUPS.has(plain) ? plain : served;
    },
    apiVersion: (name, version) => (name === '' ? version : `${group(name)}/${version}`),
    key: (prefix, name) => `${prefix === '' ? '' : `${prefix}.`}${domain}/${name}`,
    groupKey: (name, suffix) => `${name}.${groupSuffix}/${suffix}`,
    component: (name) => `system:${short}-${name}`,
    header: (name) => `x-${product}-${name}`,
    extension: (name) => `${EXTENSION_PREFIXES[product]}${name}`,
    definition: (schemaName) => {
      if (!OWN_PACKAGES.has(schemaName.slice(0, schemaName.indexOf('.')))) return schemaName;
      const packaged = schemaName.startsWith('aggregator.') ? `${short}-${schemaName}` : schemaName;
      return `io.${groupSuffix.slice(0, -'.io'.length)}.${packaged}`;
    },
  };
}

type Variables =
  'execInfoVariable' | 'serviceHostVariable' | 'servicePortVariable' | 'configVariable' | 'configFolder';

const variablesOf = ({ product, short }: Basis): Pick<Vocabulary, Variables> => ({
  execInfoVariable: `${product.toUpperCase()}_EXEC_INFO`,
  serviceHostVariable: `${product.toUpperCase()}_SERVICE_HOST`,
  servicePortVariable: `${product.toUpperCase()}_SERVICE_PORT`,
  configVariable: `${short.toUpperCase()}CONFIG`,
  configFolder: `.${short}`,
});

function namesOf({ product, short, domain, agent }: Basis, key: Vocabulary['key']) {
  return {
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
    bootstrapSignatureKey: product === 'orch' ? ('token' as const) : ('secret' as const),
    bootstrappingLabel: key('', 'bootstrapping'),
    autoupdateAnnotation: `rbac.authorization.${domain}/autoupdate`,
    automanagedLabel: key(`${short}-aggregator`, 'automanaged'),
  };
}

function createVocabulary(product: Product): Vocabulary {
  const basis = BASES[product];
  const composers = composersOf(basis);
  return {
    ...basis,
    ...composers,
    ...variablesOf(basis),
    ...namesOf(basis, composers.key),
    issuer: `https://${product}.default.svc.cluster.local`,
    legacyTokenIssuer: `${product}/serviceaccount`,
    serviceNames: ['', '.default', '.default.svc', '.default.svc.cluster.local'].map(
      (suffix) => `${product}${suffix}`,
    ),
    encryptionMark: `${basis.groupSuffix.slice(0, -'.io'.length)}:enc:`,
    protobufMediaType: `application/vnd.${product}.protobuf`,
    tokenVolumePrefix: `${basis.short}-api-access-`,
    tokenMountPath: `/var/run/secrets/${basis.domain}/serviceaccount`,
  };
}

/** The vocabulary of this project; the default. */
export const orchVocabulary: Vocabulary = createVocabulary('orch');
/** The vocabulary of Kubernetes, for use with its clients and components. */
export const kubernetesVocabulary: Vocabulary = createVocabulary('kubernetes');

/** All vocabularies. */
export const vocabularies: readonly Vocabulary[] = [orchVocabulary, kubernetesVocabulary];

/** Returns the vocabulary of a product. */
export const vocabularyOf = (product: Product): Vocabulary =>
  product === 'orch' ? orchVocabulary : kubernetesVocabulary;

/**
 * Returns the vocabulary of a server that serves these groups: the one that names most of them, since custom
 * groups may use the other. Undefined if no group has a suffix.
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
