// Patterns of image references (https://github.com/distribution/reference).
const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `${DOMAIN_PART}(?:\\.${DOMAIN_PART})*(?::[0-9]+)?`;
const PATH_PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const NAME = `${DOMAIN}/${PATH_PART}(?:/${PATH_PART})*`;
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const DIGEST = 'sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}';
const REFERENCE = new RegExp(`^(${NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`);
const IDENTIFIER = /^[a-f0-9]{64}$/;
const NAME_LIMIT = 255;

// Default registry and path of an image. They count towards the maximum length of a name.
const USUAL_REGISTRY = 'docker.io/';
const USUAL_FOLDER = 'library/';

/** Returns an image name with the default registry and path added if they are missing. */
function inFull(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const named = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (named) return image;
  return `${USUAL_REGISTRY}${rest.length === 0 ? USUAL_FOLDER : ''}${image}`;
}

/**
 * Returns the tag by which an image is pulled: `latest` if the image has neither tag nor digest; `''` if it
 * has only a digest or is invalid.
 */
export function tagOf(image: string): string {
  if (IDENTIFIER.test(image)) return '';
  const [, name = '', tag = '', digest = ''] = REFERENCE.exec(inFull(image)) ?? [];
  if (name === '' || name.length > NAME_LIMIT) return '';
  return tag || (digest === '' ? 'latest' : '');
}
