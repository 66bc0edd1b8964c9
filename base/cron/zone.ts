import { IANAZone } from 'luxon';

/** Time zone with its offset from UTC in milliseconds at each instant. */
export interface Zone {
  readonly name: string;
  offsetMs(atMs: number): number;
}

/** Time zone UTC. */
export const utc: Zone = { name: 'UTC', offsetMs: () => 0 };

/** Other names of UTC. They are resolved without `Intl`, whose lookups are expensive. */
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

/** Time zone names that `Intl` lists. The time zone database contains additional names. */
const canonical = new Set(Intl.supportedValuesOf('timeZone'));
const zones = new Map<string, Zone>(
  [utc, ...UTC_NAMES.map((name): Zone => ({ ...utc, name }))].map((zone) => [zone.name, zone]),
);

/**
 * True if `name` is an IANA time zone in exact case. Links such as `US/Eastern` are time zones. `Local` and
 * the empty name, which Go treats as the time zone of the process, are not.
 */
export function isTimeZone(name: string): boolean {
  if (zones.has(name) || canonical.has(name)) return true;
  if (name === '' || name === 'Local' || !IANAZone.isValidZone(name)) return false;
  return hasExactCase(name);
}

/**
 * True if a name accepted by `Intl` has the spelling of the time zone database. `Intl` accepts any letter
 * case, and offsets such as `+03:00`. Each part of a name must be a capitalized word, an abbreviation in
 * capitals, or one of a few particles.
 */
function hasExactCase(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  const abbreviation = /^[A-Z]{1,4}(\d[A-Z]{3})?([+-]?\d{1,2})?$/;
  const word = /^(?:[A-Z][A-Za-z]*[a-z]|[A-Z]|of|es|au)$/;
  return name
    .split('/')
    .every((part) => abbreviation.test(part) || part.split(/[_-]/).every((each) => word.test(each)));
}

/** Returns the time zone with a valid name. Throws for any other name. */
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
/** Maximum number of hours whose offsets are cached per time zone. */
const REMEMBERED = 1_024;

/**
 * Caches offsets by hour. Each lookup costs tens of microseconds, and the schedules of a time zone share
 * hours. No time zone has changed its offset twice within an hour, so equal offsets at both ends apply to the
 * whole hour.
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

/** Returns the time zone of the process, which is read only once, as the lookup is expensive. */
export const localZone = (): Zone => (local ??= zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone));
