import { IANAZone } from 'luxon';

/** A time zone with its offset from UTC in milliseconds at an instant. */
export interface Zone {
  readonly name: string;
  offsetMs(atMs: number): number;
}

/** The zone UTC. */
export const utc: Zone = { name: 'UTC', offsetMs: () => 0 };

/** Other names of UTC, known without `Intl`, whose lookups are expensive. */
const UTC_NAMES = [
  'Etc/UTC',
  'Etc/UCT',
  'Etc/Universal',
  'Etc/Zulu',
  'Etc/GMT',
  'GMT',
  'UCT',
  'Zulu',
  'Universal',
];

/** Names that `Intl` lists; tz data has more. */
const canonical = new Set(Intl.supportedValuesOf('timeZone'));
const zones = new Map<string, Zone>(
  [utc, ...UTC_NAMES.map((name): Zone => ({ ...utc, name }))].map((zone) => [zone.name, zone]),
);

/**
 * True if `name` is an IANA time zone in exact case. Links (`US/Eastern`) are included. `Local` and the empty
 * name, which Go reads as the zone of the process, are not.
 */
export function isTimeZone(name: string): boolean {
  if (zones.has(name) || canonical.has(name)) return true;
  if (name === '' || name === 'Local' || !IANAZone.isValidZone(name)) return false;
  return hasExactCase(name);
}

/**
 * `Intl` accepts names in any case and offsets such as `+03:00`, tz data has one spelling. A link is valid if
 * each part is. Words are capitalized, except abbreviations in capitals and a few particles.
 */
function hasExactCase(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  const abbreviation = /^[A-Z]{1,4}(\d[A-Z]{3})?([+-]?\d{1,2})?$/;
  const word = /^(?:[A-Z][A-Za-z]*[a-z]|[A-Z]|of|es|au)$/;
  return name
    .split('/')
    .every((part) => abbreviation.test(part) || part.split(/[_-]/).every((each) => word.test(each)));
}

/** Returns the zone of a valid name. Throws for any other. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  if (!isTimeZone(name)) throw new Error(`unknown time zone ${name}`);
  const iana = IANAZone.create(name);
  const zone: Zone = { name, offsetMs: remembered((atMs) => Math.round(iana.offset(atMs) * 60_000)) };
  zones.set(name, zone);
  return zone;
}

const HOUR_MS = 3_600_000;
/** Cached hours per zone. */
const REMEMBERED = 1_024;

/**
 * Caches offsets by hour, because each lookup costs tens of microseconds and schedules of a zone share hours.
 * No zone has changed its offset twice within an hour, so equal offsets at both ends hold for the whole hour.
 */
function remembered(offsetMs: Zone['offsetMs']): Zone['offsetMs'] {
  const offsets = new Map<number, number>();
  const atHour = (hour: number): number => {
    const known = offsets.get(hour);
    if (known !== undefined) return known;
    const offset = offsetMs(hour * HOUR_MS);
    if (offsets.size >= REMEMBERED) offsets.clear();
    offsets.set(hour, offset);
    return offset;
  };
  return (atMs) => {
    const hour = Math.floor(atMs / HOUR_MS);
    const offset = atHour(hour);
    return offset === atHour(hour + 1) ? offset : offsetMs(atMs);
  };
}

let local: Zone | undefined;

/** Returns the zone of the process, read once because the lookup is expensive. */
export const localZone = (): Zone => (local ??= zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone));
