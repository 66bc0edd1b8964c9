import { isIP } from 'node:net';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
  tooLongField,
} from '../../status/field-errors.ts';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
  IngressClassParametersReference,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressTLS,
} from '../../types/networking-v1.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { checked } from '../metadata.ts';
import { NOT_AN_ADDRESS } from './load-balancer.ts';
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegment,
  isPortName,
  isWildcardDns1123Subdomain,
  portMessages,
} from '../names.ts';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const FORBIDDEN_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_AT_THEIR_ENDS = ['/..', '/.'];
const SCOPES = ['Cluster', 'Namespace'];
const CONTROLLER_LIMIT = 250;

/** Checks the rules of `validateIngress` in Kubernetes 1.24. */
export const validateIngress = ({ spec }: DeepReadonly<Ingress>): FieldErrors =>
  validateIngressSpec(spec ?? {}, 'spec');

function validateIngressSpec(spec: DeepReadonly<IngressSpec>, path: string): FieldErrors {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && defaultBackend === undefined) {
    const detail = 'either `defaultBackend` or `rules` must be specified';
    errors.push(invalidTyped(path, '[]networking.IngressRule', rules, detail));
  }
  if (defaultBackend) errors.push(...validateBackend(defaultBackend, child(path, 'defaultBackend')));
  errors.push(...rules.flatMap((rule, at) => validateRule(rule, index(child(path, 'rules'), at))));
  errors.push(...tls.flatMap((each, at) => validateTls(each, index(child(path, 'tls'), at))));
  if (ingressClassName !== undefined) {
    errors.push(...checked(child(path, 'ingressClassName'), ingressClassName, isDns1123Subdomain));
  }
  return errors;
}

const hostErrors = (field: string, host: string): FieldErrors =>
  checked(field, host, host.includes('*') ? isWildcardDns1123Subdomain : isDns1123Subdomain);

const validateTls = (
  { hosts = [], secretName = '' }: DeepReadonly<IngressTLS>,
  path: string,
): FieldErrors => [
  ...hosts.flatMap((host, at) => hostErrors(index(child(path, 'hosts'), at), host)),
  ...(secretName === '' ? [] : checked(child(path, 'secretName'), secretName, isDns1123Subdomain)),
];

function validateRule({ host = '', http }: DeepReadonly<IngressRule>, path: string): FieldErrors {
  const field = child(path, 'host');
  const errors: FieldError[] = [];
  if (isIP(host) !== 0) errors.push(invalidField(field, host, NOT_AN_ADDRESS));
  if (host !== '') errors.push(...hostErrors(field, host));
  if (http === undefined) return errors;
  const paths = child(path, 'http', 'paths');
  const found = http.paths ?? [];
  if (found.length === 0) errors.push(requiredField(paths));
  return [...errors, ...found.flatMap((each, at) => validatePath(each, index(paths, at)))];
}

function validatePath({ path: text = '', pathType, backend }: DeepReadonly<HTTPIngressPath>, path: string) {
  if (!pathType) return [requiredField(child(path, 'pathType'), 'pathType must be specified')];
  const field = child(path, 'path');
  const errors: FieldError[] = [];
  if (!PATH_TYPES.includes(pathType)) {
    errors.push(notSupportedField(child(path, 'pathType'), pathType, PATH_TYPES));
  } else if (pathType !== 'ImplementationSpecific') errors.push(...validateExactPath(text, field));
  else if (text !== '' && !text.startsWith('/')) {
    errors.push(invalidField(field, text, 'must be an absolute path'));
  }
  return [...errors, ...validateBackend(backend ?? {}, child(path, 'backend'))];
}

const validateExactPath = (text: string, field: string): FieldErrors => [
  ...(text.startsWith('/') ? [] : [invalidField(field, text, 'must be an absolute path')]),
  ...FORBIDDEN_IN_PATHS.filter((part) => text.includes(part)).map((part) =>
    invalidField(field, text, `must not contain '${part}'`),
  ),
  ...FORBIDDEN_AT_THEIR_ENDS.filter((end) => text.endsWith(end)).map((end) =>
    invalidField(field, text, `cannot end with '${end}'`),
  ),
];

function validateBackend({ resource, service }: DeepReadonly<IngressBackend>, path: string): FieldErrors {
  if (resource && service) return [invalidField(path, '', 'cannot set both resource and service backends')];
  if (resource) return validateReference(resource, child(path, 'resource'));
  if (service) return validateServiceBackend(service, path);
  return [invalidField(path, '', 'resource or service backend is required')];
}

function validateServiceBackend(
  { name, port }: DeepReadonly<IngressServiceBackend>,
  path: string,
): FieldErrors {
  const field = child(path, 'service', 'name');
  const errors: FieldError[] = name ? [...checked(field, name, isDns1035Label)] : [requiredField(field)];
  const { name: portName = '', number = 0 } = port ?? {};
  if (portName !== '' && number !== 0) {
    errors.push(invalidField(path, '', 'cannot set both port name & port number'));
  } else if (portName !== '') {
    errors.push(...checked(child(path, 'service', 'port', 'name'), portName, isPortName));
  } else if (number !== 0) {
    const at = child(path, 'service', 'port', 'number');
    errors.push(...portMessages(number).map((message) => invalidField(at, number, message)));
  } else errors.push(requiredField(path, 'port name or number is required'));
  return errors;
}

interface Reference {
  /** Null if the type of the reference writes an absent group as null. */
  readonly apiGroup?: string | null;
  readonly kind?: string;
  readonly name?: string;
}

/** Validates a reference to an object in the same namespace. */
function validateReference({ apiGroup, kind = '', name = '' }: Reference, path: string): FieldErrors {
  return [
    ...(apiGroup === undefined || apiGroup === null
      ? []
      : checked(child(path, 'apiGroup'), apiGroup, isDns1123Subdomain)),
    ...Object.entries({ kind, name }).flatMap(([field, text]) =>
      text === ''
        ? [requiredField(child(path, field), `${field} is required`)]
        : checked(child(path, field), text, isPathSegment),
    ),
  ];
}

/** Checks the rules of `validateIngressClassSpec` in Kubernetes 1.24. */
export function validateIngressClass({ spec }: DeepReadonly<IngressClass>): FieldErrors {
  const { controller = '', parameters } = spec ?? {};
  return [
    ...(Buffer.byteLength(controller) > CONTROLLER_LIMIT
      ? [tooLongField('spec.controller', CONTROLLER_LIMIT)]
      : []),
    ...validateDomainPrefixedPath(controller, 'spec.controller'),
    ...(parameters ? validateParameters(parameters, 'spec.parameters') : []),
  ];
}

function validateParameters(
  parameters: DeepReadonly<IngressClassParametersReference>,
  path: string,
): FieldErrors {
  const { scope, namespace } = parameters;
  const errors: FieldError[] = [...validateReference(parameters, path)];
  const field = child(path, 'namespace');
  if (!scope) errors.push(requiredField(child(path, 'scope')));
  else if (!SCOPES.includes(scope)) errors.push(notSupportedField(child(path, 'scope'), scope, SCOPES));
  else if (scope === 'Namespace') {
    if (namespace === undefined) {
      errors.push(requiredField(field, "`parameters.scope` is set to 'Namespace'"));
    } else errors.push(...checked(field, namespace, isDns1123Label));
  } else if (namespace !== undefined) {
    errors.push(forbiddenField(field, "`parameters.scope` is set to 'Cluster'"));
  }
  return errors;
}

const PREFIXED_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const prefixedPath = new RegExp(`^${PREFIXED_PATH}$`);

/** Validates a domain-prefixed path such as `acme.io/foo` (`IsDomainPrefixedPath` in Kubernetes 1.24). */
export function validateDomainPrefixedPath(text: string, field: string): FieldErrors {
  if (text === '') return [requiredField(field)];
  const slash = text.indexOf('/');
  const [host, rest] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (host === '' || rest === '')
    return [invalidField(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...checked(field, host, isDns1123Subdomain),
    ...(prefixedPath.test(rest)
      ? []
      : [invalidField(field, rest, `Invalid path (regex used for validation is '${PREFIXED_PATH}')`)]),
  ];
}
