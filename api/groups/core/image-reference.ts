/** The grammar of image references (distribution reference, the package `reference`). */
const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `${DOMAIN_PART}(?:\\.${DOMAIN_PART})*(?::[0-9]+)?`;
const PATH_PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const NAME = `${DOMAIN}/${PATH_PART}(?:/${PATH_PART})*`;
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const DIGEST = 'sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}';
const REFERENCE = new RegExp(`^(${NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`);
const IDENTIFIER = /^[a-f0-9]{64}$/;
const NAME_LIMIT = 255;

/** The registry that images without one come from, which is then part of how long their names are. */
const USUAL_REGISTRY = 'docker.io/';
const USUAL_FOLDER = 'library/';

/** With the registry that is meant, and the folder of the usual one. */
function inFull(image: string): string {
  const [first = '', ...rest] = image.split('/');
  const named = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (named) return image;
  return `${USUAL_REGISTRY}${rest.length === 0 ? USUAL_FOLDER : ''}${image}`;
}

/**
 * The tag that an image is pulled by: `latest` where it names neither tag nor digest, '' where it has a digest alone or
 * cannot be read at all.
 */
export function tagOf(image: string): string {
  if (IDENTIFIER.test(image)) return '';
  const [, name = '', tag = '', digest = ''] = REFERENCE.exec(inFull(image)) ?? [];
  if (name === '' || name.length > NAME_LIMIT) return '';
  return tag || (digest === '' ? 'latest' : '');
}
