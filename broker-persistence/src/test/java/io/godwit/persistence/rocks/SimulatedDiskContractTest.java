package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.SimulatedDisk;
import org.junit.jupiter.api.BeforeEach;

class SimulatedDiskContractTest extends DiskContract {
    @BeforeEach
    void start() {
        disk = open();
    }

    @Override
    Disk open() {
        return new SimulatedDisk();
    }

    @Override
    Disk reopen() {
        disk.close();
        return ((SimulatedDisk) disk).reopen();
    }
}
