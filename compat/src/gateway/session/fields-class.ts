/** A class whose objects have the fields they are made of: what a class of the old program adds its methods to. */
export function fieldsClass<T extends object>(): new (fields: T) => T {
  function Fields(this: object, fields: T): void {
    Object.assign(this, fields);
  }
  return Fields as unknown as new (fields: T) => T;
}
