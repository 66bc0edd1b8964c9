import { isIP } from 'node:net';

/**
 * A rule for names. Returns upstream's complaints about a string, or an empty list if the string is valid.
 * Sources: RFC 1123, RFC 1035, and
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go
 */
export type NameCheck = (text: string) => readonly string[];

const tooLong = (limit: number): string => `must be no more than ${limit} characters`;
const EMPTY = 'must be non-empty';

function regexMessage(rule: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (${shown === '' ? '' : `e.g. ${shown}`}regex used for validation is '${pattern}')`;
}

/**
 * Returns a check against the anchored `pattern`. `limit` is the maximum length in UTF-8 bytes; 0 means no
 * limit.
 */
function patternCheck(
  limit: number,
  pattern: string,
  rule: string,
  ...examples: readonly string[]
): NameCheck {
  const whole = new RegExp(`^${pattern}$`);
  const message = regexMessage(rule, pattern, ...examples);
  return (text) => {
    const messages: string[] = [];
    if (limit > 0 && Buffer.byteLength(text) > limit) messages.push(tooLong(limit));
    if (!whole.test(text)) messages.push(message);
    return messages;
  };
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const QUALIFIED_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Checks an RFC 1123 label: lower-case letters, digits and `-`. */
export const isDns1123Label: NameCheck = patternCheck(
  63,
  LABEL,
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  'my-name',
  '123-abc',
);

/** Checks RFC 1123 labels joined by dots. */
export const isDns1123Subdomain: NameCheck = patternCheck(
  253,
  SUBDOMAIN,
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  'example.com',
);

/** Checks a DNS subdomain whose first label is `*`. */
export const isWildcardDns1123Subdomain: NameCheck = patternCheck(
  253,
  `\\*\\.${SUBDOMAIN}`,
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  '*.example.com',
);

/** Checks an RFC 1035 label: lower-case letters, digits and `-`, starting with a letter. */
export const isDns1035Label: NameCheck = patternCheck(
  63,
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  'my-name',
  'abc-123',
);

/** Checks the value of a label. */
export const isLabelValue: NameCheck = patternCheck(
  63,
  `(${QUALIFIED})?`,
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
  'MyValue',
  'my_value',
  '12345',
);

/** Checks the name of an HTTP header. */
export const isHttpHeaderName: NameCheck = patternCheck(
  0,
  '[-A-Za-z0-9]+',
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  'X-Header-Name',
);

const qualifiedName = new RegExp(`^${QUALIFIED}$`);
const QUALIFIED_MESSAGE = regexMessage(QUALIFIED_RULE, QUALIFIED, 'MyName', 'my.name', '123-abc');

/** Checks a label or annotation key: a name, optionally preceded by a DNS subdomain and a slash. */
export const isQualifiedName: NameCheck = (text) => {
  const [first = '', second, ...rest] = text.split('/');
  if (rest.length > 0) {
    return [
      `a qualified name ${QUALIFIED_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const messages: string[] = [];
  if (second !== undefined) {
    if (first === '') messages.push(`prefix part ${EMPTY}`);
    else messages.push(...isDns1123Subdomain(first).map((message) => `prefix part ${message}`));
  }
  const name = second ?? first;
  if (name === '') messages.push(`name part ${EMPTY}`);
  else if (Buffer.byteLength(name) > 63) messages.push(`name part ${tooLong(63)}`);
  if (!qualifiedName.test(name)) messages.push(`name part ${QUALIFIED_MESSAGE}`);
  return messages;
};

function relativePathMessages(text: string): readonly string[] {
  if (text === '.') return ["must not be '.'"];
  if (text === '..') return ["must not be '..'"];
  return text.startsWith('..') ? ["must not start with '..'"] : [];
}

const configKey = patternCheck(
  253,
  '[-._a-zA-Z0-9]+',
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  'key.name',
  'KEY_NAME',
  'key-name',
);

/** Checks a key in the data of a ConfigMap or Secret. The kubelet uses the key as a file name. */
export const isConfigKey: NameCheck = (text) => [...configKey(text), ...relativePathMessages(text)];

const environmentName = patternCheck(
  0,
  '[-._a-zA-Z][-._a-zA-Z0-9]*',
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);

/** Checks the name of an environment variable. */
export const isEnvironmentName: NameCheck = (text) => [
  ...environmentName(text),
  ...relativePathMessages(text),
];

/** Checks an RFC 6335 service name, the form of container port names. */
export const isPortName: NameCheck = (text) => {
  const messages: string[] = [];
  if (text.length > 15) messages.push(tooLong(15));
  if (!/^[-a-z0-9]+$/.test(text)) {
    messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(text)) messages.push('must contain at least one letter (a-z)');
  if (text.includes('--')) messages.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages;
};

/** Returns upstream's complaints about a port number. */
export const portMessages = (port: number): readonly string[] =>
  port >= 1 && port <= 65_535 ? [] : ['must be between 1 and 65535, inclusive'];

/** Checks that a string is valid as one segment of a URL path. */
export const isPathSegment: NameCheck = (text) => {
  if (text === '.') return ["may not be '.'"];
  if (text === '..') return ["may not be '..'"];
  return isPathSegmentPrefix(text);
};

/** Checks that a string, such as `generateName`, is valid as the beginning of a path segment. */
export const isPathSegmentPrefix: NameCheck = (text) =>
  /[/%]/.test(text)
    ? ['/', '%'].filter((each) => text.includes(each)).map((each) => `may not contain '${each}'`)
    : [];

/** Checks an IP address of either family. */
export const isIpAddress: NameCheck = (text) =>
  isIP(text) !== 0 && !text.includes('%')
    ? []
    : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];

/** Checks an IP range, such as `10.0.0.0/8`. */
export const isCidr: NameCheck = (text) => {
  const [address = '', bits, ...rest] = text.split('/');
  const family = address.includes('%') ? 0 : isIP(address);
  const valid =
    family !== 0 &&
    rest.length === 0 &&
    bits !== undefined &&
    /^(0|[1-9]\d{0,2})$/.test(bits) &&
    Number(bits) <= (family === 4 ? 32 : 128);
  return valid ? [] : ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
};

/**
 * Replaces a trailing dash, so that a `generateName` such as `web-` can be checked as a name. The generated
 * name, such as `web-x7k2p`, does not end in a dash.
 */
export const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
