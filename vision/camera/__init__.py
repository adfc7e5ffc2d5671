"""Pictures from a device, a file, a folder or an address, in a process of their own.  (E)"""
