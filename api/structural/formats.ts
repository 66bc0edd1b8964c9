import { isIP } from 'node:net';
import { QuantityError, parseQuantity } from '../quantity/quantity.ts';
import { FormatError, parseDuration } from '../schema/times.ts';
import { isCidr } from '../validation/names.ts';

/**
 * Predicate that is true if a string has a format, as go-openapi's `strfmt` defines it. Formats without a
 * check are ignored.
 */
export type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp, limit = 1_000): FormatCheck =>
  (text) =>
    text.length <= limit && pattern.test(text);

const reads =
  (read: (text: string) => unknown): FormatCheck =>
  (text) => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof FormatError || error instanceof QuantityError) return false;
      throw error;
    }
  };

const uuid = (version: string, variant: string): FormatCheck =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?${variant}-?[0-9a-f]{12}$`, 'i'));
const ANY = '[0-9a-f]{4}';

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(?:[Zz]|[+-]\d\d:?\d\d)$/;

function isDate(text: string): boolean {
  const parts = DATE.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const parts = text.length <= 64 ? DATE_TIME.exec(text) : null;
  if (parts === null) return false;
  const [, date = '', hour, minute, second] = parts;
  return isDate(date) && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59;
}

/**
 * Matches a number and a unit in words, such as `3 days`. Like upstream, it matches anywhere in the string.
 */
const COUNTED = /\d+\s*([A-Za-zµ]+)/g;
const UNIT = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;
/** True for a Go duration (`1h30m`) or a duration in words. */
const isDuration: FormatCheck = (text) =>
  text.length <= 64 &&
  (reads(parseDuration)(text) || [...text.matchAll(COUNTED)].some(([, unit = '']) => UNIT.test(unit)));

const digitsOf = (text: string): readonly number[] => Array.from(text.replace(/\D/g, ''), Number);

function isIsbn10(text: string): boolean {
  const plain = text.length <= 32 ? text.replace(/[\s-]+/g, '') : '';
  if (!/^\d{9}[\dX]$/.test(plain)) return false;
  const sum = Array.from(plain, (digit, at) => (at + 1) * (digit === 'X' ? 10 : Number(digit)));
  return sum.reduce((total, each) => total + each, 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const plain = text.length <= 32 ? text.replace(/[\s-]+/g, '') : '';
  if (!/^\d{13}$/.test(plain)) return false;
  return digitsOf(plain).reduce((total, digit, at) => total + digit * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const digits = text.length <= 64 ? digitsOf(text) : [];
  if (!CARD.test(digits.join(''))) return false;
  const sum = digits.toReversed().reduce((total, digit, at) => {
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
/**
 * Pattern of a hostname with a single label. Like upstream's pattern, it allows a hyphen only as the second
 * character.
 */
const ONLY_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u;
const LAST_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u;

const isHostname: FormatCheck = (text) => {
  if (Buffer.byteLength(text) > 255) return false;
  const labels = text.split('.');
  const last = labels.pop() ?? '';
  if (labels.length === 0) return ONLY_LABEL.test(last);
  return LAST_LABEL.test(last) && labels.every((label) => HOST_LABEL.test(label));
};

/** Matches the strings that Go's `url.ParseRequestURI` accepts if they have a scheme or are a path. */
const URI = /^(?:[A-Za-z][A-Za-z0-9+.-]*:(?!$)|\/)[^\u0000-\u0020\u007f]*$/;

const RGB_PART = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';

const FORMATS: { readonly [format: string]: FormatCheck } = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: (text) => URI.test(text) && !/%(?![0-9A-Fa-f]{2})/.test(text),
  email: matches(/^(?:[^<>]*<)?[^\s<>@,;:\\"()[\]]+@[^\s<>@,;:\\"()]+>?$/),
  hostname: isHostname,
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6 && !text.includes('%'),
  cidr: (text) => isCidr(text).length === 0,
  mac: matches(
    /^(?:[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2})?|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?:\.[0-9a-f]{4})?)$/i,
  ),
  uuid: uuid(ANY, ANY),
  uuid3: uuid('3[0-9a-f]{3}', ANY),
  uuid4: uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}'),
  uuid5: uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(new RegExp(`^rgb\\(\\s*${RGB_PART}\\s*,\\s*${RGB_PART}\\s*,\\s*${RGB_PART}\\s*\\)$`)),
  byte: (text) =>
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) && text !== '',
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  quantity: reads(parseQuantity),
};

/** Returns the check of a format; undefined for an unknown format. Dashes in the name are ignored. */
export function formatCheckOf(format: string): FormatCheck | undefined {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
}
