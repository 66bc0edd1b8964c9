/**
 * Product whose names the server uses. All identifiers with a product name are defined in this file, and the
 * product is chosen at start-up. With `kubernetes`, unmodified Kubernetes clients and components work.
 */
export type Product = 'orch' | 'kubernetes';

/**
 * Groups whose served name has the vocabulary's suffix. All other groups, including those of custom
 * resources, are served under their own name.
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
 * First parts of the names of built-in schemas. The name of a custom resource's schema is already complete.
 */
const OWN_PACKAGES = new Set(['aggregator', 'api', 'apiextensions-apiserver', 'apimachinery']);

/** Prefixes of OpenAPI vendor extensions, by product. */
export const EXTENSION_PREFIXES: { readonly [P in Product]: string } = {
  kubernetes: 'x-kubernetes-',
  orch: 'x-orch-',
};

/** Identifiers under the name of one product. */
export interface Vocabulary {
  readonly product: Product;
  /** Short form of the product name in names of components and namespaces: `orch` or `kube`. */
  readonly short: string;
  /** Suffix of API groups: `orch.io` or `k8s.io`. */
  readonly groupSuffix: string;
  /** Domain of labels, annotations, finalizers, secret types and signers: `orch.io` or `kubernetes.io`. */
  readonly domain: string;
  /** Name of the kubelet in signers and roles: `nodeagent` or `kubelet`. */
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
   * `node.orch.io/not-ready`. With the prefix `''`, the key has no prefix before the domain.
   */
  key(prefix: string, name: string): string;
  /**
   * Returns a key under the group suffix: `groupKey('rbac.authorization', 'aggregate-to-view')` →
   * `rbac.authorization.orch.io/aggregate-to-view`.
   */
  groupKey(group: string, name: string): string;
  /**
   * Returns the user name of a component: `component('controller-manager')` →
   * `system:orch-controller-manager`.
   */
  component(name: string): string;
  /**
   * Returns the name of a product-specific header: `header('pf-flowschema-uid')` →
   * `x-orch-pf-flowschema-uid`.
   */
  header(name: string): string;
  /** Returns the name of an OpenAPI vendor extension: `extension('list-type')` → `x-orch-list-type`. */
  extension(name: string): string;
  /**
   * Returns the OpenAPI name of a schema, such as `io.orch.api.core.v1.Pod`. The name of a custom resource's
   * schema is returned unchanged.
   */
  definition(schemaName: string): string;

  /**
   * User and group of the API server when it is a client of kubelets. The group has the name of the role that
   * the server needs at the kubelet.
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
  /** Key of the label on every namespace that holds the name of the namespace. */
  readonly namespaceNameLabel: string;
  /** Name of the ConfigMap in every namespace that holds the cluster's CA certificate. */
  readonly rootCaConfigMap: string;
  /** Finalizer in the field `spec.finalizers` of a namespace. */
  readonly namespaceFinalizer: string;
  /**
   * Key of the signatures on the cluster-info ConfigMap. Under `orch` it is the full token. Under
   * `kubernetes` it is the secret part of the token, with which upstream's clients verify the signature
   * (https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#configmap-signing).
   */
  readonly bootstrapSignatureKey: 'token' | 'secret';
  readonly bootstrappingLabel: string;
  readonly autoupdateAnnotation: string;
  /** Label of APIServices that the server creates and updates itself. */
  readonly automanagedLabel: string;
  /** Default audience and issuer of ServiceAccount tokens. */
  readonly issuer: string;
  /** Issuer of ServiceAccount tokens in Secrets. */
  readonly legacyTokenIssuer: string;
  /** DNS names of the API server's Service, the shortest first. */
  readonly serviceNames: readonly string[];
  readonly protobufMediaType: string;
  /** Prefix of encrypted values in a store: `orch:enc:` or `k8s:enc:`. */
  readonly encryptionMark: string;
  readonly execInfoVariable: string;
  /**
   * Environment variables that hold the address of the API server's Service. They are set in every container.
   */
  readonly serviceHostVariable: string;
  readonly servicePortVariable: string;
  readonly configVariable: string;
  /** Directory within the home directory that contains the client configuration `config`. */
  readonly configFolder: string;
  /** Prefix of the name of a projected token volume. A random suffix follows. */
  readonly tokenVolumePrefix: string;
  readonly tokenMountPath: string;
}

/** Members of which other identifiers are composed. */
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

/** Vocabulary of this project, the default. */
export const orchVocabulary: Vocabulary = createVocabulary('orch');
/** Vocabulary of Kubernetes, for use with its clients and components. */
export const kubernetesVocabulary: Vocabulary = createVocabulary('kubernetes');

/** All vocabularies. */
export const vocabularies: readonly Vocabulary[] = [orchVocabulary, kubernetesVocabulary];

/** Returns the vocabulary of a product. */
export const vocabularyOf = (product: Product): Vocabulary =>
  product === 'orch' ? orchVocabulary : kubernetesVocabulary;

/**
 * Returns the vocabulary of a server that serves these groups. It is the vocabulary of most groups, because
 * custom groups may have the suffix of the other vocabulary. Returns undefined if no group has a suffix.
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
