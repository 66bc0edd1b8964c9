/**
 * Descriptions of one group's types, for all its versions: by type, then by field, with the type itself under
 * `''`. One sentence each. Names of OpenAPI extensions are without their prefix.
 */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;
